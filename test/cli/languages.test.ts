import { readFileSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../kit/seed.js'
import { runHere, workbench } from './kit.js'

const { path, write } = workbench()

const CHINESE = {
  refs: {
    1: ['一个男人在骑自行车', '一名男子骑着自行车', '男人骑车', '街上的自行车骑手', '一个人骑自行车'],
    2: ['一只狗在草地上奔跑', '狗在草地上跑', '草地上的棕色狗', '一只棕色的狗', '狗跑过草地'],
  },
  own: { 1: '一个男人骑自行车', 2: '一只狗在草地上' },
}
const GERMAN = {
  refs: {
    1: ['Ein Hund rennt über die Wiese.', 'Der Hund läuft.'],
    2: ['Zwei Männer sitzen auf einer Bank.'],
  },
  own: { 1: 'ein Hund rannte über eine Wiese', 2: 'zwei Mann sitzen auf Bänken' },
}
const UNICODE = `unicode-icu${process.versions.icu}`

const run = (words: string) =>
  runHere(words.split(/ +/).map((word) => (/\.(json|vec)$/.test(word) ? path(word) : word)))

async function scoresOf(words: string): Promise<{ scores: Json[]; notes: string[] }> {
  const { code, stdout, stderr } = await run(`score ${words} --format json`)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

const scoreOf = (scores: Json[], metric: string) => scores.find((score) => score.metric === metric)?.value

beforeAll(() => {
  for (const [name, { refs, own }] of Object.entries({ zh: CHINESE, de: GERMAN })) {
    write(`${name}_refs.json`, JSON.stringify(refs))
    write(`${name}.json`, JSON.stringify(own))
  }
  write('en.json', JSON.stringify({ 1: 'a man on a bike', 2: 'a dog on the grass' }))
})

describe('accord score in other languages', () => {
  it('finds the language, and names it with the tokenizer', async () => {
    const { scores, notes } = await scoresOf('zh_refs.json zh.json')
    expect(scores.map(({ metric }) => metric)).toEqual([
      ...['BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'ROUGE-L', 'CIDEr-D', 'METEOR'],
    ])
    for (const { value, signature } of scores) {
      expect(value).toBeGreaterThan(0.5)
      expect(signature).toContain(`|tok:${UNICODE}|lang:zh|`)
    }
    expect(notes[0]).toBe(
      `Captions in Chinese (zh, found in 10 of 10 captions); tokenizer ${UNICODE}: --language and --tokenizer choose others.`,
    )
  })

  it('scores characters as sacrebleu 2.6 with the tokenizer zh', async () => {
    const { scores } = await scoresOf('zh_refs.json zh.json --tokenizer character')
    expect(scoreOf(scores, 'BLEU-3')).toBeCloseTo(1, 8)
    expect(scoreOf(scores, 'BLEU-4')).toBeCloseTo(0.9391044157537529, 8)
  })

  it('takes spaces for the limits of tokens of captions that are segmented', async () => {
    const cut = (text: string) => [...text].join(' ')
    const cutAll = ({ refs, own }: typeof CHINESE) => ({
      refs: Object.fromEntries(Object.entries(refs).map(([id, texts]) => [id, texts.map(cut)])),
      own: Object.fromEntries(Object.entries(own).map(([id, text]) => [id, cut(text)])),
    })
    const { refs, own } = cutAll(CHINESE)
    write('cut_refs.json', JSON.stringify(refs))
    write('cut.json', JSON.stringify(own))
    const segmented = await scoresOf('cut_refs.json cut.json --tokenizer none')
    const characters = await scoresOf('zh_refs.json zh.json --tokenizer character')
    expect(segmented.scores.map(({ value }) => value)).toEqual(characters.scores.map(({ value }) => value))
    expect(segmented.scores[0].signature).toContain('|tok:none|lang:zh|')
  })

  it('stems words of the language in METEOR, which says what it is made of', async () => {
    const { scores } = await scoresOf('de_refs.json de.json --metrics METEOR')
    const [{ value, signature }] = scores
    expect(signature).toMatch(
      /^METEOR\|meteor:1.5\|alpha:0.95\|beta:1\|gamma:0.55\|delta:0.55\|modules:exact\+stem\|weights:1\+0.8\|beam:40\|stemmer:Snowball-German\|functionWords:accord-de\|/,
    )
    const { scores: unstemmed } = await scoresOf('de_refs.json de.json --metrics METEOR --language qaa')
    expect(value).not.toBe(unstemmed[0].value)
    expect(unstemmed[0].signature).toMatch(/alpha:0.7\|.*modules:exact\|.*functionWords:none\|.*\|lang:qaa\|/)
  })

  it.each(['SPICE', 'SPIDEr', 'WMD'])('refuses %s by name', async (metric) => {
    const { code, stdout, stderr } = await run(`score zh_refs.json zh.json --metrics BLEU-4 ${metric}`)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(new RegExp(`accord: metrics: ${metric} needs English: .*Chinese \\(zh\\)`))
  })

  it('scores by WMD with vectors of the language', async () => {
    write('de.vec', 'hund 1 0\nwiese 0 1\nbank 1 1\n')
    const { scores } = await scoresOf('de_refs.json de.json --metrics WMD --embeddings de.vec')
    expect(scores[0].value).toBeGreaterThan(0)
    expect(scores[0].signature).toContain('|stop:none|')
  })

  it('refuses document frequencies of English', async () => {
    const { stderr } = await run('score de_refs.json de.json --metrics CIDEr-D --document-frequencies coco')
    expect(stderr).toMatch(/accord: document frequencies: document frequencies of another language/)
    const other = await run(
      'score de_refs.json de.json --metrics CIDEr-D --document-frequencies coco --language en --tokenizer 13a',
    )
    expect(other.stderr).toMatch(/accord: document frequencies: document frequencies of other tokens/)
  })

  it('notes captions that are in another language than the references', async () => {
    const { notes } = await scoresOf('zh_refs.json en.json')
    expect(notes).toContain('The captions look like English (en), the references are in Chinese (zh).')
  })

  it('assumes no language where none is seen: metrics for English need it by evidence, or said', async () => {
    write(
      'maltese_refs.json',
      JSON.stringify({ 1: ['kelb jiġri fuq il-ħaxix'], 2: ['żewġt itfal jilagħbu'] }),
    )
    write('maltese.json', JSON.stringify({ 1: 'kelb jiġri', 2: 'żewġt itfal' }))
    const { scores, notes } = await scoresOf('maltese_refs.json maltese.json')
    expect(scores[0].signature).toContain(`|tok:${UNICODE}|lang:und|`)
    expect(notes[0]).toBe(
      `The language of the captions is unknown: they do not show one. Tokenizer ${UNICODE}. --language names it; metrics for English need --language en.`,
    )
    const { stderr } = await run('score maltese_refs.json maltese.json --metrics SPICE')
    expect(stderr).toMatch(
      /SPICE needs English: expected the language en, if they are English; .*, found captions that show no language/,
    )
    const said = await scoresOf('maltese_refs.json maltese.json --language en --metrics SPICE')
    expect(said.scores[0].signature).toContain('|tok:ptb-3.4.1|data')
    expect(said.notes.filter((note) => note.includes('anguage'))).toEqual([])
  })

  it('says how many captions of mixed ones are in which language', async () => {
    const { refs } = GERMAN
    const mixed = { ...refs, 3: ['a man on a bike'], 4: ['two dogs play in the grass', 'a cat'] }
    write('mixed_refs.json', JSON.stringify(mixed))
    const { notes } = await scoresOf('mixed_refs.json de.json --allow-missing --metrics BLEU-1')
    expect(notes).toContain('Mixed languages: of 6 captions, 3 like German (de), 3 like English (en).')
  })

  it('notes a tokenizer that makes one token of a caption, so that identical ones have no n-grams', async () => {
    const { notes, scores } = await scoresOf('zh_refs.json zh.json --tokenizer 13a --metrics BLEU-4')
    expect(scores[0].value).toBeLessThan(1e-6)
    expect(notes).toContain(
      'The tokenizer 13a makes one token, or none, of 12 of 12 captions: BLEU-2 to BLEU-4 are near 0 even for identical ones. --tokenizer chooses another.',
    )
    const fitting = await scoresOf('zh_refs.json zh.json --metrics BLEU-4')
    expect(fitting.notes.filter((note) => note.includes('one token'))).toEqual([])
  })

  it('takes what is said for the language, and tokens of English without a note', async () => {
    const said = await scoresOf('de_refs.json de.json --language en')
    expect(said.scores[0].signature).toMatch(/\|tok:ptb-3.4.1\|data/)
    expect(said.notes.filter((note) => note.includes('tokenizer'))).toEqual([])
    const mteval = await scoresOf('de_refs.json de.json --language en --tokenizer 13a --metrics BLEU-1')
    expect(mteval.scores[0].signature).toContain('|tok:13a|data')
    expect(mteval.notes[0]).toBe('Captions in English (en); tokenizer 13a: --tokenizer chooses another.')
  })

  it.each([
    ['--language german!', /accord: language: no language: expected a BCP 47 tag/],
    ['--tokenizer mecab', /Allowed choices are ptb, 13a, unicode, character, none/],
  ])('refuses %s', async (words, expected) => {
    const { code, stderr } = await run(`score de_refs.json de.json ${words}`)
    expect(code).not.toBe(0)
    expect(stderr).toMatch(expected)
  })
})

describe('datasets in other languages', () => {
  const work = workbench()
  const SEED = new URL('../../seed/languages/', import.meta.url).pathname
  const IMAGES = 20

  beforeAll(async () => {
    for (const language of ['en', 'de', 'ja']) {
      const file = `${SEED}animals_${language}.json`
      const { code, stdout, stderr } = await work.run(['import', 'captions', file, '--dataset', language])
      expect(code, stderr).toBe(0)
      expect(stdout).toContain(
        `  language  ${language}; tokenizer ${language === 'en' ? 'ptb-3.4.1' : UNICODE}\n`,
      )
      const human: Record<string, string[]> = JSON.parse(readFileSync(file, 'utf8'))
      work.write(
        `${language}.json`,
        Object.fromEntries(Object.entries(human).map(([id, captions]) => [id, captions[0]])),
      )
      await work.run(`import results ${language}.json --dataset ${language} --system first`)
    }
  })

  async function reportOf(words: string): Promise<Json> {
    const { code, stdout, stderr } = await work.run(`${words} --format json`)
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)
  }

  it.each(['de', 'ja'])(
    '%s: people agree by all metrics that exist, and figures of systems equal those of score',
    async (language) => {
      const { scores: people } = await reportOf(`agreement --dataset ${language} --metrics BLEU-4 METEOR`)
      for (const { mean, signature } of people) {
        expect(mean).toBeGreaterThan(0.1)
        expect(signature).toContain(`|images:${IMAGES}|tok:${UNICODE}|lang:${language}|`)
      }
      const { scores: all } = await reportOf(`evaluate --dataset ${language} --system first`)
      const scores: Json[] = all.filter(({ signature }: Json) => !signature.includes('|folds:'))
      expect(scores.map(({ metric }: Json) => metric)).toContain('METEOR')
      const scored = await reportOf(
        `score ${SEED}animals_${language}.json ${language}.json --metrics ${scores.map(({ metric }: Json) => metric).join(' ')}`,
      )
      const figures = (all: Json[]) =>
        all.map(({ metric, value, signature }) => ({ metric, value, signature }))
      expect(figures(scored.scores)).toEqual(figures(scores))
    },
  )

  it('words have precision, recall and usage models, and no part of speech', async () => {
    const { words } = await reportOf('words --dataset ja --word 犬 --word 猫')
    // Counted by hand in the file: images by the number of their captions with the word.
    expect(words.map(({ word, partOfSpeech, histogram }: Json) => [word, partOfSpeech, histogram])).toEqual([
      ['犬', 'OTHER', [16, 0, 0, 0, 2, 2]],
      ['猫', 'OTHER', [17, 0, 0, 0, 0, 3]],
    ])
    const { stderr } = await work.run('words --dataset ja --part-of-speech NN')
    expect(stderr).toMatch(
      /parts of speech need English captions and the tokenizer ptb: .*"ja": Japanese \(ja\)/,
    )
  })

  it('agree in files too, whose language and tokenizer are told', async () => {
    const file = `${SEED}animals_de.json`
    const found = await work.run(`agreement ${file} --metrics BLEU-4 --format json`)
    expect(found.stderr).toContain(
      'Captions in German (de, found in 100 of 100 captions); tokenizer unicode-icu',
    )
    const said = await work.run(
      `agreement ${file} --metrics BLEU-4 --language de --tokenizer 13a --format json`,
    )
    expect(JSON.parse(said.stdout).scores[0].signature).toContain('|tok:13a|lang:de|')
  })

  it('agree by language, as the captions of one language alone where no document frequencies count', async () => {
    const file = `${SEED}animals.jsonl`
    const imported = await work.run(['import', 'captions', file, '--dataset', 'animals'])
    expect(imported.stdout).toContain(
      'The language of the captions is unknown: they are in several. Tokenizer unicode-icu',
    )
    expect(imported.stdout).toMatch(
      /Mixed languages: of 360 captions, 60 like \w+ \(\w\w\), (\d\d like \w+ \(\w\w\)(, |\.\n)){5}$/,
    )
    const { subsets } = await reportOf('agreement --dataset animals --metrics BLEU-1 BLEU-4 --by language')
    expect(subsets.map(({ subset, metric }: Json) => `${subset} ${metric}`)).toEqual(
      ['de', 'en', 'es', 'fr', 'ja', 'zh'].flatMap((language) => [
        `${language} BLEU-1`,
        `${language} BLEU-4`,
      ]),
    )
    const lines = readFileSync(file, 'utf8').split('\n')
    for (const language of ['de', 'ja']) {
      work.write(
        'own.jsonl',
        lines
          .filter((line) => line.includes(`"language": "${language}"`))
          .map((line) => `${line}\n`)
          .join(''),
      )
      const own = await reportOf(`agreement ${work.path('own.jsonl')} --metrics BLEU-1 BLEU-4`)
      const figures = (rows: Json[], value: string) =>
        rows.map((row) => [row.metric, row.imageCount ?? 20, Number(row[value].toPrecision(12))])
      expect(
        figures(
          subsets.filter(({ subset }: Json) => subset === language),
          'value',
        ),
      ).toEqual(figures(own.scores, 'mean'))
    }
  })

  it('are told apart by their captions where the file does not say the language', async () => {
    const refs = { ...GERMAN.refs, 3: ['a man on a bike', 'the man rides'], 4: ['zzz qq', 'qq www'] }
    work.write('mixed.json', JSON.stringify(refs))
    await work.run('import captions mixed.json --dataset mixed --captions-per-image 2 --language de')
    const { subsets } = await reportOf('agreement --dataset mixed --metrics BLEU-1 --by language')
    expect(subsets.map(({ subset, imageCount }: Json) => [subset, imageCount])).toEqual([
      ['de', 1],
      ['en', 1],
      ['und', 1],
    ])
    const { stderr } = await work.run('agreement --dataset mixed --metrics BLEU-1 --by colour')
    expect(stderr).toContain('no image has this field')
  })

  it('notes captions of a system that are in another language', async () => {
    const { stdout, stderr, code } = await work.run('import results ja.json --dataset en --system japanese')
    expect(code).toBe(0)
    expect(stdout + stderr).toContain(
      'The captions look like Japanese (ja), the references are in English (en).',
    )
  })

  it.each([
    ['evaluate --dataset de --system first --metrics SPICE', 'metrics: SPICE needs English'],
    ['agreement --dataset de --metrics SPIDEr', 'metrics: SPIDEr needs English'],
    [
      'evaluate --dataset de --system first --metrics CIDEr-D --document-frequencies coco',
      'of another language',
    ],
    [
      'evaluate --dataset de --system first --metrics CIDEr-D --document-frequencies en',
      'of another language',
    ],
    ['atoms --dataset de', 'atoms need English captions'],
  ])('refuses %s', async (words, expected) => {
    const { code, stdout, stderr } = await work.run(words)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(expected)
  })

  it('refuses captions where another version of ICU cut those of the dataset', async () => {
    const database = new BetterSqlite3(work.path('accord.sqlite'))
    database.exec("UPDATE dataset SET tokenizer = 'unicode-icu70.1' WHERE name = 'de'")
    database.close()
    const { stderr } = await work.run('import results de.json --dataset de --system other')
    expect(stderr).toMatch(/tokenized by another version: expected unicode-icu70.1: .*, found unicode-icu/)
  })
})

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { createLemmatizer } from '../../src/core/text/lemmatizer.js'
import { createTagger, partOfSpeechOf, tagWords } from '../../src/core/text/part-of-speech.js'
import { createPennTagger } from '../../src/core/text/tagger.js'
import { tokenize } from '../../src/core/text/tokenizer.js'
import { readLexicon, readTaggerModel } from '../../src/formats/english/english.js'
import { dataFile, dataPresent } from '../kit/data.js'

const CAPTIONS = 'coco/captions_val2017.json'
const VOCABULARY = 'coco/vocabulary_1000.csv'
const SCENE_GRAPHS = 'scene_graphs/factual_dev.csv.gz'

const readText = (name: string) => readFileSync(dataFile(name), 'utf8')

function readCaptions(): string[][] {
  const { annotations }: { annotations: readonly { caption: string }[] } = JSON.parse(readText(CAPTIONS))
  return annotations.map(({ caption }) => tokenize(caption))
}

describe.skipIf(!dataPresent('parts of speech of the published vocabulary', [CAPTIONS, VOCABULARY]))(
  'the published vocabulary',
  () => {
    it('has the same part of speech for 97 % of the words and 88 % of the adjectives', () => {
      const lexicon = readLexicon()
      const tags = tagWords(createTagger(readTaggerModel(), lexicon), lexicon, readCaptions())
      const rows = readText(VOCABULARY).trim().split('\n').slice(1)
      const words = rows.map((row) => row.trim().toUpperCase().split(','))
      const agreeing = words.filter(([word, tag]) => tags.get(word.toLowerCase()) === tag)
      const adjectives = (rows: string[][]) => rows.filter(([, tag]) => tag === 'JJ').length
      expect(words).toHaveLength(1000)
      expect(agreeing.length).toBeGreaterThanOrEqual(970)
      expect(adjectives(agreeing) / adjectives(words)).toBeGreaterThanOrEqual(0.88)
    })
  },
)

describe('the published atoms', () => {
  // Parts of speech, and the least share of the first 150 atoms that must be in both lists. The published list of
  // attributes has comparatives ("older") that are lemmatized here, and nouns ("skate", "laptop").
  const kinds = [
    { kind: 'entities', tags: /^(?:NN|PRP$)/, overlap: 0.93 },
    { kind: 'actions', tags: /^VB/, overlap: 0.85 },
    { kind: 'attributes', tags: /^JJ/, overlap: 0.85 },
  ]
  const files = kinds.map(({ kind }) => `atoms/coco_${kind}.csv`)
  const present = dataPresent('atoms', [CAPTIONS, ...files])
  let atoms: { tag: string; lemma: string }[]
  beforeAll(() => {
    if (!present) return
    const lexicon = readLexicon()
    const tagger = createPennTagger(readTaggerModel(), lexicon)
    const lemmaOf = createLemmatizer(lexicon)
    atoms = readCaptions().flatMap((caption) => {
      const tags = tagger(caption)
      return caption.map((word, i) => ({ tag: tags[i], lemma: lemmaOf(word, tags[i]) }))
    })
  })

  it.skipIf(!present).each(kinds)('have the same most frequent $kind', ({ kind, tags, overlap }) => {
    const counts = new Map<string, number>()
    for (const { tag, lemma } of atoms) if (tags.test(tag)) counts.set(lemma, (counts.get(lemma) ?? 0) + 1)
    const ours = [...counts].sort(([, a], [, b]) => b - a).map(([lemma]) => lemma)
    const published = readText(`atoms/coco_${kind}.csv`).split('\n').slice(1, 151)
    const names = new Set(published.map((row) => row.split(',')[0]))
    expect(ours.slice(0, 150).filter((lemma) => names.has(lemma)).length / 150).toBeGreaterThanOrEqual(
      overlap,
    )
  })
})

describe.skipIf(!dataPresent('parts of speech in scene graphs', [SCENE_GRAPHS]))('scene graphs', () => {
  it('have nouns for objects, adjectives for most attributes, and verbs or prepositions for relations', () => {
    const tagger = createPennTagger(readTaggerModel(), readLexicon())
    const counts = { object: new Map<string, number>(), attribute: new Map(), relation: new Map() }
    const rows = gunzipSync(readFileSync(dataFile(SCENE_GRAPHS)))
      .toString('utf8')
      .split('\n')
      .slice(1)
    for (const row of rows) {
      const [, caption, graph] = /^\d+,\d+,"?(.*?)"?,"(.*)"/.exec(row) ?? ['', '', '']
      const tokens = tokenize(caption)
      const tags = tagger(tokens).map(partOfSpeechOf)
      const count = (kind: keyof typeof counts, word = '') => {
        const tag = tags[tokens.indexOf(word)]
        if (tag !== undefined) counts[kind].set(tag, (counts[kind].get(tag) ?? 0) + 1)
      }
      for (const [, subject, relation, object] of graph.matchAll(/\( (.*?) , (.*?) , (.*?) \)/g)) {
        count('object', subject.split(' ').at(-1))
        count(relation === 'is' ? 'attribute' : 'object', object.split(' ').at(-1))
        if (relation !== 'is') count('relation', relation.split(' ')[0])
      }
    }
    const share = (kind: keyof typeof counts, tags: readonly string[]) => {
      const total = [...counts[kind].values()].reduce((sum, count) => sum + count, 0)
      expect(total).toBeGreaterThan(400)
      return tags.reduce((sum, tag) => sum + (counts[kind].get(tag) ?? 0), 0) / total
    }
    expect(share('object', ['NN'])).toBeGreaterThanOrEqual(0.98)
    expect(share('attribute', ['JJ', 'VB'])).toBeGreaterThanOrEqual(0.75)
    expect(share('relation', ['IN', 'VB'])).toBeGreaterThanOrEqual(0.95)
  })
})

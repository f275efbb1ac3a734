import { describe, expect, it, test } from 'vitest'
import { scoreCorpus, scoreImages } from '../../../../src/core/metrics/metric.js'
import type { Tokenization } from '../../../../src/core/text/tokenization.js'
import { stemmers } from '../../../../src/formats/words/stemmers.js'
import { toyRegistry } from '../registry-kit.js'
import { type ImageCaptions, trialOf } from './kit.js'

const inLanguage = (language: string): Tokenization => ({ language, tokenizer: 'unicode' })

function meteorOf(language: string) {
  const [family] = toyRegistry().choose(['METEOR'], 'metrics', inLanguage(language)).families
  return family
}

function scoreOf(language: string, ...image: ImageCaptions) {
  const meteor = meteorOf(language)
  const { corpus, trial } = trialOf([image])
  const statistics = meteor.measure(meteor.prepare(corpus), trial)
  expect(scoreImages(meteor, statistics)[0][0]).toBe(scoreCorpus(meteor, statistics)[0])
  return scoreImages(meteor, statistics)[0][0]
}

describe('METEOR in other languages, by hand', () => {
  test.each<[string, ImageCaptions, number]>([
    // German: function words .45, others .55; α .95, β 1, γ .55; three chunks of four matches, P = R = 2/3
    [
      'de',
      ['ein hund rannte über eine wiese', 'ein hund rennt über die wiese'],
      (2 / 3) * (1 - 0.55 * (3 / 4)),
    ],
    // a stem counts .8 of .55; all words match in one chunk
    ['de', ['zwei hunde laufen', 'zwei hund laufen'], (0.45 + 0.8 * 0.55 + 0.55) / 1.55],
    // Precision 1, recall 1/2: F = 1 / (.05 + .95 · 2)
    ['de', ['hund', 'hund wiese'], (1 / (0.05 + 0.95 * 2)) * (1 - 0.55)],
    // French: function words .35, others .65; two chunks of two matches
    ['fr', ['deux chiens dorment', 'deux chats dorment'], (1 / 1.65) * (1 - 0.6)],
    ['fr', ['chienne', 'chiennes'], 0.2],
    // Czech has no stemmer
    ['cs', ['psi', 'psy'], 0],
    // Russian: all words weigh .5, stems .5
    ['ru', ['собака', 'собаки'], 0.5],
    // Italian, Dutch and so on: the language-independent parameters
    ['it', ['gatto', 'gatti'], 0.5],
    // Others: the universal ones; Tamil and Greek have a stemmer, Chinese has none
    ['el', ['σκύλος', 'σκύλοι'], 0.6],
    ['zh', ['男人 骑 车', '男人 骑 马'], (2 / 3) * (1 - 0.3 * (1 / 2) ** 1.4)],
    ['zh', ['男人 骑 车', '男人 骑 车'], 1],
  ])('%s: %j', (language, image, expected) => {
    expect(scoreOf(language, ...image)).toBeCloseTo(expected, 12)
  })

  it('has a family of its own for each language, with the parameters in the signature', () => {
    const family = meteorOf('de-AT')
    expect(family.name).toBe('METEOR de')
    expect(toyRegistry().family('METEOR de').metrics[0].parameters).toEqual(family.metrics[0].parameters)
    expect(family.metrics[0].parameters).toMatchObject({
      alpha: '0.95',
      beta: '1',
      gamma: '0.55',
      delta: '0.55',
      modules: 'exact+stem',
      weights: '1+0.8',
      stemmer: 'Snowball-German',
    })
    expect(meteorOf('zh').metrics[0].parameters).not.toHaveProperty('stemmer')
  })
})

describe('stemmers', () => {
  // Words and stems of Snowball's own lists of examples (snowball-data, 2.2).
  test.each([
    ['de', 'aufeinanderfolgenden', 'aufeinanderfolg'],
    ['de', 'hunde', 'hund'],
    ['fr', 'continuellement', 'continuel'],
    ['es', 'torneos', 'torne'],
    ['it', 'pronunciamento', 'pronunc'],
    ['pt', 'bebidas', 'beb'],
    ['nl', 'lichaamsziek', 'lichaamsziek'],
    ['sv', 'jaktkarlarne', 'jaktkarl'],
    ['ru', 'важные', 'важн'],
    ['fi', 'edeltänyt', 'edeltäny'],
    ['hu', 'babakocsijáért', 'babakocs'],
    ['tr', 'köpekler', 'köpek'],
  ])('%s: %s → %s', (language, word, stem) => {
    expect(stemmers.of(language)(word)).toBe(stem)
  })

  it('exist for the languages that METEOR 1.5 has them for, and are named', () => {
    const languages = ['fr', 'de', 'es', 'pt', 'ru', 'da', 'ro', 'hu', 'tr', 'fi', 'nl', 'it', 'nb', 'sv']
    for (const language of languages) {
      expect(stemmers.name(language)).toMatch(/^Snowball-[A-Z][a-z]+$/)
      expect(stemmers.of(language)('x')).toBe('x')
    }
    expect([stemmers.name('zh'), stemmers.name('cs')]).toEqual([null, null])
  })
})

describe('metrics that need English', () => {
  const registry = toyRegistry()
  const names = registry.metrics.map(({ name }) => name)

  test.each([
    ['in another language', inLanguage('de')],
    ['cut by another tokenizer', { language: 'en', tokenizer: '13a' } as const],
  ])('are refused for captions %s, the others apply', (_, tokenization) => {
    const refused = names.filter((name) => !registry.applies(name, tokenization))
    expect(refused).toEqual([
      'WMD',
      'SPICE',
      ...['object', 'attribute', 'relation', 'color', 'count', 'size'].map((kind) => `SPICE-${kind}`),
      'SPIDEr',
      'CHAIR-i',
      'CHAIR-s',
      'object-recall',
      'open-CHAIR-i',
      'open-CHAIR-s',
      'open-object-recall',
    ])
    expect(() => registry.load('SPICE', 'metric', tokenization)).toThrow('SPICE needs English')
    expect(() => registry.choose(['BLEU', 'WMD'], 'field', tokenization)).toThrow('field: WMD needs English')
    const { families } = registry.choose(undefined, 'metrics', tokenization)
    expect(families).toHaveLength(registry.choose().families.length)
  })

  it('include none for English in its usual tokens, whatever the region', () => {
    const english = { language: 'en-GB', tokenizer: 'ptb' } as const
    expect(names).toContain('SPICE')
    expect(names.filter((name) => !registry.applies(name, english))).toEqual([])
    expect(registry.load('METEOR', 'metric', english).family.name).toBe('METEOR')
  })
})

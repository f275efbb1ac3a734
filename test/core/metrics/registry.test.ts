import { describe, expect, test } from 'vitest'
import { AccordError } from '../../../src/errors.js'
import { TOY } from './meteor/kit.js'
import { toyRegistry } from './registry-kit.js'

const unreadable = {
  meteor: {
    read: () => {
      throw new AccordError('RESOURCE_MISSING', 'no word lists')
    },
    hash: () => {
      throw new AccordError('RESOURCE_MISSING', 'no word lists')
    },
  },
}

describe('without resources', () => {
  const registry = toyRegistry(unreadable)

  test('metrics are listed with name, range, citation and needs', () => {
    expect(registry.metrics.map(({ name }) => name)).toEqual([
      ...[1, 2, 3, 4].map((n) => `BLEU-${n}`),
      'ROUGE-L',
      ...[1, 2, 3, 4].map((n) => `ROUGE-${n}`),
      'ROUGE-S',
      'CIDEr',
      'CIDEr-D',
      'METEOR',
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
      'coverage',
      'consensus-coverage',
      'confirmed-share',
      'chrF',
    ])
    expect(registry.require('METEOR')).toMatchObject({
      family: 'METEOR',
      lowest: 0,
      highest: 1,
      citation: expect.stringContaining('Denkowski'),
      needs: { resources: ['meteor'], documentFrequencies: false },
    })
    expect(registry.require('CIDEr-D').needs).toMatchObject({ resources: [], documentFrequencies: true })
  })

  test('metrics that need none are computed', () => {
    expect(registry.choose(['BLEU-1', 'CIDEr']).families.map(({ name }) => name)).toEqual(['BLEU', 'CIDEr'])
    expect(registry.load('ROUGE-L').metric.parameters).toEqual({ beta: '1.2' })
  })

  test('the others report what is missing', () => {
    expect(() => registry.load('METEOR')).toThrow('no word lists')
    expect(() => registry.choose()).toThrow('no word lists')
    expect(() => registry.contentHash('meteor')).toThrow('no word lists')
  })
})

test('a resource is read once, and hashed once', () => {
  let reads = 0
  let hashes = 0
  const registry = toyRegistry({
    meteor: {
      read: () => {
        reads++
        return TOY
      },
      hash: () => `hash ${++hashes}`,
    },
  })
  expect(registry.load('METEOR').family).toBe(registry.family('METEOR'))
  registry.choose()
  expect([registry.contentHash('meteor'), registry.contentHash('meteor')]).toEqual(['hash 1', 'hash 1'])
  expect([reads, hashes]).toEqual([1, 1])
})

test('a choice contains only the named metrics of their families', () => {
  const { families, includes } = toyRegistry().choose(['ROUGE-2', 'METEOR', 'ROUGE-2'])
  expect(families.map(({ name }) => name)).toEqual(['ROUGE-N', 'METEOR'])
  const included = families.flatMap(({ metrics }) => metrics).filter(includes)
  expect(included.map(({ name }) => name)).toEqual(['ROUGE-2', 'METEOR'])
})

test('WMD, SPICE, SPIDEr, CHAIR, coverage and chrF are computed only where they are named', () => {
  const registry = toyRegistry()
  expect(registry.choose().families.map(({ name }) => name)).not.toContain('SPICE')
  expect(registry.choose(['SPIDEr', 'SPICE']).families.map(({ name }) => name)).toEqual(['SPICE', 'SPIDEr'])
  expect(registry.metrics.filter(({ isDefault }) => !isDefault).map(({ family }) => family)).toEqual([
    'WMD',
    ...Array.from({ length: 7 }, () => 'SPICE'),
    'SPIDEr',
    ...Array.from({ length: 3 }, () => 'CHAIR'),
    ...Array.from({ length: 3 }, () => 'open-CHAIR'),
    ...Array.from({ length: 3 }, () => 'coverage'),
    'chrF',
  ])
})

test('every family has a unique name, and rows of the declared width', () => {
  const registry = toyRegistry()
  const { families } = registry.choose(registry.metrics.map(({ name }) => name))
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length)
  for (const { layoutRevision, metrics, width } of families) {
    expect(layoutRevision).toBeGreaterThan(0)
    expect(width).toBeGreaterThan(0)
    for (const { revision } of metrics) expect(revision).toBeGreaterThan(0)
  }
})

describe('abuse', () => {
  test.each([
    [() => toyRegistry().require('SPICE-verb'), 'metric: unknown metric: expected one of BLEU-1, BLEU-2'],
    [() => toyRegistry().require('ciderr', 'field'), 'field: unknown metric'],
    [() => toyRegistry().choose(['BLEU-1', 'toString']), 'metrics: unknown metric'],
    [() => toyRegistry().family('BLEU-1'), 'family: unknown metric: expected one of BLEU, ROUGE-L'],
  ])('%# unknown names', (ask, message) => {
    expect(ask).toThrow(message)
  })
})

test('the metrics of open objects are named together', () => {
  const registry = toyRegistry()
  const { includes } = registry.choose(['open-CHAIR'])
  expect(registry.metrics.filter(includes).map(({ name }) => name)).toEqual(['open-CHAIR-i', 'open-CHAIR-s'])
})

test('METEOR is that of the captions unless another language is named', () => {
  const meteorOf = (language: string, meteorLanguage?: string) =>
    toyRegistry()
      .choose(['METEOR'], 'metrics', {
        language,
        tokenizer: language === 'en' ? 'ptb' : 'unicode',
        meteorLanguage,
      })
      .families.map(({ name }) => name)
  expect(meteorOf('en')).toEqual(['METEOR'])
  expect(meteorOf('en', 'en')).toEqual(['METEOR'])
  expect(meteorOf('pt')).toEqual(['METEOR pt'])
  expect(meteorOf('pt', 'es')).toEqual(['METEOR es'])
  expect(meteorOf('pt', 'en')).toEqual(['METEOR en'])
})

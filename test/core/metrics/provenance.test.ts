import { describe, expect, test } from 'vitest'
import { bleu } from '../../../src/core/metrics/bleu.js'
import { cider } from '../../../src/core/metrics/cider.js'
import {
  canonicalJson,
  comparisonKey,
  findDifference,
  isPartial,
  metricSignature,
  type ProvenanceRecord,
  signatureOf,
} from '../../../src/core/metrics/provenance.js'
import type { UndefinedReason } from '../../../src/shared/undefined-reason.js'
import { toyRegistry } from './registry-kit.js'

const RECORD: ProvenanceRecord = {
  dataset: '0f1e2d3c4b5a',
  subject: { kind: 'system', content: 'aaa' },
  family: 'CIDEr',
  metric: 'CIDEr-D',
  revision: 1,
  parameters: { n: '4', sigma: '6' },
  resources: {},
  tokenizer: 'ptb-3.4.1',
  language: 'en',
  text: 'tokens',
  documentFrequencies: { hash: '1a2b3c4d5e6f', imageCount: 5000, source: 'own' },
  references: { count: null, least: 5, most: 7, folds: null },
  images: { count: 5000, of: 5000, hash: null },
  interval: 'jackknife',
  seed: null,
  layoutRevision: 1,
}

type Changes = Partial<ProvenanceRecord>

describe('a signature', () => {
  test.each<[Changes, string]>([
    [
      {},
      'CIDEr-D|n:4|sigma:6|df:own-1a2b3c4d|refs:5-7|images:5000|tok:ptb-3.4.1|data:0f1e2d3c|rev:1|layout:1|ci:jackknife|version:9.9.9',
    ],
    [
      {
        documentFrequencies: { hash: '99999999aaaa', imageCount: 40_000, source: 'dataset' },
        references: { count: 4, least: 4, most: 4, folds: 5 },
        images: { count: 500, of: 5000, hash: 'ab12cd34ef' },
      },
      'CIDEr-D|n:4|sigma:6|df:dataset-99999999/40000|refs:4|folds:5|images:500/5000-ab12cd34|tok:ptb-3.4.1|data:0f1e2d3c|rev:1|layout:1|ci:jackknife|version:9.9.9',
    ],
    [
      {
        metric: 'X',
        parameters: {},
        documentFrequencies: null,
        resources: { words: 'feedbeef00' },
        text: 'raw',
        interval: null,
        layoutRevision: null,
      },
      'X|refs:5-7|images:5000|tok:ptb-3.4.1|text:raw|data:0f1e2d3c|res:words-feedbeef|rev:1|version:9.9.9',
    ],
  ])('%#', (changes, expected) => {
    expect(signatureOf({ ...RECORD, ...changes }, '9.9.9')).toBe(expected)
  })

  test('of a metric alone says what is known without captions', () => {
    const context = { tokenizer: 'ptb-3.4.1', version: '9.9.9' }
    expect(metricSignature(bleu, bleu.metrics[3], context)).toBe(
      'BLEU-4|n:4|length:closest|tok:ptb-3.4.1|rev:1|version:9.9.9',
    )
    expect(metricSignature(cider, cider.metrics[1], context)).toContain('|df:own|')
    const { families } = toyRegistry().choose()
    const all = families.flatMap((family) =>
      family.metrics.map((metric) => metricSignature(family, metric, context)),
    )
    expect(new Set(all).size).toBe(all.length)
  })
})

/** Changes of a record, why they prevent a comparison, and whether they do so on shared images too. */
const CHANGES: readonly [Changes, UndefinedReason, boolean][] = [
  [{ dataset: 'other' }, 'OTHER_DATASET', true],
  [{ metric: 'CIDEr' }, 'OTHER_METRIC', true],
  [{ text: 'raw' }, 'OTHER_METRIC', true],
  [{ revision: 2 }, 'OTHER_REVISION', true],
  [{ parameters: { n: '4' } }, 'OTHER_PARAMETERS', true],
  [{ resources: { words: 'f' } }, 'OTHER_RESOURCES', true],
  [{ tokenizer: 'other' }, 'OTHER_TOKENIZER', true],
  [
    { documentFrequencies: { hash: 'f', imageCount: 5000, source: 'own' } },
    'OTHER_DOCUMENT_FREQUENCIES',
    true,
  ],
  [{ references: { count: 4, least: 4, most: 4, folds: 5 } }, 'OTHER_REFERENCES', true],
  [{ references: { count: null, least: 5, most: 6, folds: null } }, 'OTHER_REFERENCES', false],
  [{ images: { count: 10, of: 5000, hash: 'f' } }, 'PARTIAL', false],
  [{ layoutRevision: 2 }, 'OTHER_LAYOUT', true],
  [{ interval: 'jackknife-100', seed: 1 }, 'OTHER_INTERVALS', false],
]

describe('two records', () => {
  test('that differ in the subject, or in where equal document frequencies come from, can be compared', () => {
    const other: ProvenanceRecord = {
      ...RECORD,
      subject: { kind: 'people', content: 'bbb' },
      documentFrequencies: { hash: '1a2b3c4d5e6f', imageCount: 5000, source: 'dataset' },
    }
    for (const sharedImages of [true, false]) {
      expect(findDifference(RECORD, other, { sharedImages })).toBeNull()
      expect(comparisonKey(RECORD, { sharedImages })).toBe(comparisonKey(other, { sharedImages }))
    }
  })

  test.each(CHANGES)('%# %o', (changes, reason, onSharedImages) => {
    const other = { ...RECORD, ...changes }
    for (const sharedImages of [true, false]) {
      const expected = sharedImages && !onSharedImages ? null : reason
      expect(findDifference(RECORD, other, { sharedImages })).toBe(expected)
      expect(findDifference(other, RECORD, { sharedImages })).toBe(expected)
      expect(comparisonKey(RECORD, { sharedImages }) === comparisonKey(other, { sharedImages })).toBe(
        expected === null,
      )
    }
    expect(signatureOf(other, '1')).not.toBe(signatureOf(RECORD, '1'))
  })

  test('of different parts of the images cannot be compared', () => {
    const part = (hash: string) => ({ ...RECORD, images: { count: 10, of: 5000, hash } })
    expect(findDifference(part('a'), part('b'), { sharedImages: false })).toBe('OTHER_IMAGES')
    expect([isPartial(part('a')), isPartial(RECORD)]).toEqual([true, false])
  })
})

test('canonical JSON has sorted keys at every depth, and lists as they are', () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }, 2], a: 'x' })).toBe('{"a":"x","b":[{"c":null,"d":1},2]}')
})

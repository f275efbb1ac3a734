import { describe, expect, test } from 'vitest'
import { bleu } from '../../src/metrics/bleu.js'
import { cider } from '../../src/metrics/cider.js'
import { referenceRange, signature } from '../../src/metrics/signature.js'
import { toyRegistry } from './registry-kit.js'

const five = { references: Int32Array.of(0, 1, 2, 3, 4), referenceOffsets: Int32Array.of(0, 5) }
const varying = {
  references: Int32Array.from({ length: 18 }),
  referenceOffsets: Int32Array.of(0, 5, 12, 18),
}
const context = { references: five, tokenizer: 'ptb-3.4.1', version: '0.1.0' }
const [, ciderD] = cider.metrics

test.each([
  [bleu, bleu.metrics[3], {}, 'BLEU-4|n:4|length:closest|refs:5|tok:ptb-3.4.1|version:0.1.0'],
  [cider, ciderD, {}, 'CIDEr-D|n:4|sigma:6|df:own|refs:5|tok:ptb-3.4.1|version:0.1.0'],
  [
    cider,
    ciderD,
    { references: varying, documents: 'val 2017|a:b' },
    'CIDEr-D|n:4|sigma:6|df:of-val%202017%7Ca%3Ab|refs:5-7|tok:ptb-3.4.1|version:0.1.0',
  ],
  [
    bleu,
    bleu.metrics[0],
    { documents: 'other' },
    'BLEU-1|n:1|length:closest|refs:5|tok:ptb-3.4.1|version:0.1.0',
  ],
])('%# $2', (family, metric, changes, expected) => {
  expect(signature(family, metric, { ...context, ...changes })).toBe(expected)
})

test('a dataset named "own" has another signature than the own references', () => {
  expect(signature(cider, ciderD, { ...context, documents: 'own' })).not.toBe(
    signature(cider, ciderD, context),
  )
})

test('no two metrics share a signature', () => {
  const { families } = toyRegistry().choose()
  const signatures = families.flatMap((family) =>
    family.metrics.map((metric) => signature(family, metric, context)),
  )
  expect(new Set(signatures).size).toBe(signatures.length)
})

describe('the number of references', () => {
  test.each([
    [five, '5'],
    [varying, '5-7'],
    [{ references: Int32Array.of(), referenceOffsets: Int32Array.of(0) }, '0'],
  ])('%#', (lists, expected) => {
    expect(referenceRange(lists)).toBe(expected)
  })
})

import { describe, expect, it } from 'vitest'
import type { Accord } from '../../../src/services/accord.js'
import * as imports from '../../../src/services/imports/imports.js'
import { checkName } from '../../../src/services/shared/names.js'
import { rejectionOf } from '../../kit/boxes.js'
import { ignoreProgress } from '../kit.js'

describe('checkName', () => {
  it.each(['a', ' a ', 'Tom’s 犬', 'x'.repeat(10_000)])('accepts %j', (name) => {
    expect(() => checkName('system', name)).not.toThrow()
  })

  it.each(['', ' ', '\t\n', 'a\0b'])('rejects %j', (name) => {
    expect(() => checkName('system', name)).toThrow(/^system: invalid name: expected non-blank text /)
  })
})

describe('an invalid name is refused before files are read', () => {
  const accord = {} as Accord
  const system = { file: 'none', dataset: 'park', system: ' ', allowMissing: false }
  it.each([
    ['captions', () => imports.importCaptions(accord, { file: 'none', dataset: '' }, ignoreProgress)],
    ['boxes', () => imports.importBoxes(accord, { path: 'none', dataset: 'a\0' }, ignoreProgress)],
    ['results', () => imports.importResults(accord, system, ignoreProgress)],
    ['word scores', () => imports.importWordScores(accord, system, ignoreProgress)],
    ['descriptions', () => imports.importDescriptions(accord, system, ignoreProgress)],
    ['submitted results', () => imports.submitResults(accord, { ...system, captions: [] })],
    ['submitted word scores', () => imports.submitWordScores(accord, { ...system, scores: [] })],
  ])('in an import of %s', async (_what, act: () => Promise<unknown>) => {
    expect(await rejectionOf((async () => act())())).toMatch(/^INVALID_VALUE /)
  })
})

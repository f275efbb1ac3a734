import { describe, expect, it } from 'vitest'
import { isOtherLength, lengthNotes } from '../../src/shared/length-notes.js'

const systems = [
  { system: 'long', words: 64.62 },
  { system: 'usual', words: 9 },
  { system: 'short', words: 4 },
]

describe('notes about the length of captions', () => {
  it('have the lengths alone where they are usual', () => {
    expect(
      lengthNotes({ references: 10.46, systems: systems.slice(1, 2) }, ['METEOR'], 'accord coverage'),
    ).toEqual(['Words per caption: usual 9.0; references 10.5.'])
  })

  it('name the metrics that depend on it, and what does not', () => {
    expect(
      lengthNotes({ references: 10.46, systems }, ['CIDEr-D', 'METEOR', 'BLEU-4'], 'accord coverage')[1],
    ).toBe(
      'Of another length than the references: long (6.2 times as long), short (.4 times as long). CIDEr-D, METEOR and BLEU-4 depend on length; accord coverage compares captions of any length with people.',
    )
    expect(lengthNotes({ references: 10.46, systems }, ['METEOR'], 'accord coverage')[1]).toContain(
      'METEOR depends on length;',
    )
    expect(lengthNotes({ references: 10.46, systems }, [], 'accord coverage')).toHaveLength(1)
    expect(lengthNotes({ references: 10.46, systems }, ['CHAIR-i'], 'accord coverage')).toHaveLength(1)
  })

  it('list some of many systems', () => {
    const many = Array.from({ length: 10 }, (_, i) => ({ system: `s${i}`, words: 10 }))
    expect(lengthNotes({ references: 10, systems: many }, ['METEOR'], 'accord coverage')).toEqual([
      expect.stringMatching(/s7 10\.0 and 2 more; references 10\.0\.$/),
    ])
  })

  it('are none without references or systems', () => {
    expect(lengthNotes({ references: null, systems }, ['METEOR'], 'accord coverage')).toEqual([])
    expect(lengthNotes({ references: 10, systems: [] }, ['METEOR'], 'accord coverage')).toEqual([])
  })

  it('begin outside .5 to 2', () => {
    expect([4.9, 5, 10, 20, 20.1].map((words) => isOtherLength(words, 10))).toEqual([
      true,
      false,
      false,
      false,
      true,
    ])
    expect(isOtherLength(10, null)).toBe(false)
  })
})

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { parse, print, visit } from 'graphql'
import { describe, expect, it } from 'vitest'
import { projectFile, VERSION } from '../../src/project.js'
import { lastVersion, refusedChanges } from '../kit/schema-changes.js'

/** The published schemas of releases, by their versions: see "A release" in CONTRIBUTING.md. */
const FOLDER = projectFile('test/fixtures/schemas')
const stored = existsSync(FOLDER) ? readdirSync(FOLDER) : []

it('breaks no client of the last release', () => {
  const version = lastVersion(stored)
  // Before 1.0.0-rc.1 there is none.
  if (VERSION.startsWith('0.')) return expect(version).toBeUndefined()
  if (version === undefined) throw new Error(`expected the schema of a release in ${FOLDER}`)
  const released = { version, text: readFileSync(`${FOLDER}/${version}.graphql`, 'utf8') }
  const current = { version: VERSION, text: readFileSync(projectFile('schema.graphql'), 'utf8') }
  return expect(refusedChanges(released, current)).toEqual([])
})

it('says what replaces what is deprecated', () => {
  const reasons: string[] = []
  visit(parse(readFileSync(projectFile('schema.graphql'), 'utf8')), {
    Directive({ name, arguments: given = [] }) {
      if (name.value === 'deprecated') reasons.push(given.map(print).join())
    },
  })
  expect(reasons.filter((reason) => !/\bUse \w/.test(reason))).toEqual([])
})

it('finds the last release by its numbers', () => {
  expect(lastVersion([])).toBeUndefined()
  const files = ['1.0.0-rc.2', '1.0.0-rc.10', '1.0.0', '0.9.12'].map((version) => `${version}.graphql`)
  expect(lastVersion(files)).toBe('1.0.0')
  expect(lastVersion(files.slice(0, 2))).toBe('1.0.0-rc.10')
  expect(lastVersion([...files, '1.10.0.graphql', '1.9.3.graphql'])).toBe('1.10.0')
  expect(() => lastVersion(['1.0.graphql', '1.0.0.graphql'])).toThrow('found 1.0')
})

describe('the rule, on made-up schemas', () => {
  const SCHEMA = `
    directive @unused(kind: Kind) on FIELD
    type Query { dataset(name: String!, revision: Int): Dataset old: Old found: Found node(id: ID!): Node }
    interface Node { id: ID! }
    type Dataset implements Node { id: ID! name: String! size: Int! color: Color }
    type Old implements Node { id: ID! text: String part: OldPart }
    type OldPart { text: String }
    union Found = Dataset | Old
    enum Color { RED GREEN }
    enum Kind { A }
    input Unused { name: String }`
  const change = (text: string, changes: readonly (readonly [string, string])[]) =>
    changes.reduce((changed, [from, to]) => {
      if (!changed.includes(from)) throw new Error(`expected ${from} in the schema`)
      return changed.replace(from, to)
    }, text)
  const refused = (from: string, released: string, to: string, current: string) =>
    refusedChanges({ version: from, text: released }, { version: to, text: current })

  it.each([
    ['nothing', []],
    ['a field more', [['size: Int!', 'size: Int! language: String']]],
    ['an argument more', [['revision: Int)', 'revision: Int, isExact: Boolean)']]],
    ['a deprecation', [['size: Int!', 'size: Int! @deprecated']]],
    ['a field that is never null any more', [['color: Color', 'color: Color!']]],
  ] as const)('accepts %s', (_what, changes) => {
    expect(refused('1.1.0', SCHEMA, '1.1.1', change(SCHEMA, changes))).toEqual([])
  })

  const BREAKING = [
    ['a field less', [[' size: Int!', '']], 'Dataset.size was removed.'],
    ['another type', [['size: Int!', 'size: String!']], 'Dataset.size changed type from Int! to String!.'],
    [
      'a value that may be null',
      [['size: Int!', 'size: Int']],
      'Dataset.size changed type from Int! to Int.',
    ],
    [
      'a required argument',
      [['revision: Int)', 'of: Int!)']],
      'A required arg of on Query.dataset was added.',
    ],
    ['a value less', [['RED ', '']], 'RED was removed from enum type Color.'],
    ['a member less', [['Dataset | Old', 'Dataset']], 'Old was removed from union type Found.'],
  ] as const
  it.each(BREAKING)('refuses %s, in any version', (_what, changes, sentence) => {
    const changed = change(SCHEMA, changes)
    for (const [from, to] of [
      ['1.0.0-rc.1', '1.0.0'],
      ['1.1.0', '1.1.1'],
      ['1.1.0', '1.2.0'],
      ['1.1.0', '2.0.0'],
    ])
      expect(refused(from, SCHEMA, to, changed), `${from} to ${to}`).toContain(sentence)
  })

  it.each([
    ['a field', 'size: Int!', ''],
    ['an argument', ', revision: Int', ''],
    ['a value', 'GREEN', ''],
  ])('accepts that %s is missing one minor version after it was deprecated', (_what, part, none) => {
    const released = change(SCHEMA, [[part, `${part} @deprecated(reason: "Use another one.")`]])
    const current = change(SCHEMA, [[part, none]])
    expect(refused('1.1.0', released, '1.2.0', current)).toEqual([])
    expect(refused('1.1.3', released, '2.0.0', current)).toEqual([])
    for (const [from, to] of [
      ['1.0.0-rc.1', '1.0.0-rc.2'],
      ['1.0.0-rc.1', '1.0.0'],
      ['1.1.0', '1.1.1'],
    ])
      expect(refused(from, released, to, current), `${from} to ${to}`).toHaveLength(1)
  })

  it('accepts that a type is missing if only what was deprecated led to it', () => {
    const without = [
      ['old: Old ', ''],
      ['Dataset | Old', 'Dataset'],
      ['type Old implements Node { id: ID! text: String part: OldPart }', ''],
      ['type OldPart { text: String }', ''],
    ] as const
    const [, , ...types] = without
    const current = change(SCHEMA, [['found: Found ', ''], ...without])
    const released = change(SCHEMA, [
      ['old: Old', 'old: Old @deprecated'],
      ['found: Found', 'found: Found @deprecated'],
    ])
    expect(refused('1.1.0', released, '1.2.0', current)).toEqual([])
    // One of them alone still leads to it.
    const half = change(SCHEMA, [['old: Old', 'old: Old @deprecated']])
    const rest = change(SCHEMA, [['old: Old ', ''], ['Dataset | Old', 'Dataset'], ...types])
    expect(refused('1.1.0', half, '1.2.0', rest)).toEqual(
      expect.arrayContaining([
        'Old was removed.',
        'OldPart was removed.',
        'Old was removed from union type Found.',
      ]),
    )
  })
})

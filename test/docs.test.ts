/**
 * The promises of the documentation; test/slow/docs.test.ts executes its commands and queries. `npm run docs` writes their real
 * output, the table of metrics and the picture into it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../src/project.js'
import { listMetrics } from '../src/services/evaluations/metrics.js'
import { commandsOfDocuments, DOCUMENTS, NOT_EXECUTED, readDocument } from './kit/documents.js'
import { initWorld } from './kit/seed.js'

describe('the documentation', async () => {
  const world = await initWorld()

  it('has a row for every metric, and no other', async () => {
    // The page says once how all signatures begin and end.
    const rows = (await listMetrics(world.accord)).map(({ name, lowest, highest, signature }) => {
      const [first, ...parts] = signature.split('|')
      expect(first).toBe(name)
      const own = parts.join(' ').replace(/ tok:ptb-3\.4\.1( rev:\d+) version:\S+$/, '$1')
      return `| ${name} | ${lowest}–${highest} | \`${own}\` |\n`
    })
    const path = 'docs/metrics.md'
    const real = readDocument(path).replace(/(?<=^\| metric \|.*\n\|---.*\n)(\|.*\n)+/m, rows.join(''))
    await expect(real).toMatchFileSnapshot(projectFile(path))
  })

  it('lists every command that is not executed', () => {
    const commands = commandsOfDocuments()
    for (const { line } of NOT_EXECUTED) expect(commands).toContainEqual(expect.stringMatching(line))
  })

  it('links to files that exist', () => {
    for (const path of DOCUMENTS) {
      const prose = readDocument(path).replaceAll(/^```.*?^```$|^ {4}[^\n]*$/gms, '')
      for (const [, target] of prose.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)) {
        expect(existsSync(projectFile(join(dirname(path), target))), `${path}: ${target}`).toBe(true)
      }
    }
  })

  it('has a README of at most 8 kB that names every page, and the commands of CI', () => {
    const readme = readDocument('README.md')
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(8000)
    for (const path of DOCUMENTS.slice(1)) expect(readme).toContain(`](${path})`)
    const tests = /^npm ci && npm test$/m
    expect(readme).toMatch(tests)
    expect(readFileSync(projectFile('.ci/run'), 'utf8')).toMatch(tests)
  })

  it('names every folder of the sources', () => {
    const map = readDocument('CONTRIBUTING.md')
    for (const name of [...foldersOf('src'), ...foldersOf('src/core')])
      expect(map).toMatch(new RegExp(`^ +${name}/ `, 'm'))
  })
})

function foldersOf(path: string): string[] {
  const entries = readdirSync(projectFile(path), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

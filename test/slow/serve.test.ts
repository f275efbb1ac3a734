import { existsSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { outcomeOf, query, untilWritten, urlOf, workbench } from '../cli/kit.js'

const { path, run, start } = workbench()

it('loads the bundled dataset into a new database once; refuses a used port; stops on a signal', async () => {
  const first = start('serve', { ACCORD_PORT: '0', ACCORD_DATABASE: 'new.sqlite' })
  const firstOutcome = outcomeOf(first)
  const url = await urlOf(first)
  const { data } = await query(url, '{ datasets { nodes { name } } }')
  expect(data).toEqual({ datasets: { nodes: [{ name: 'scenes' }] } })
  const { errors } = await query(url, `{ datasets { nodes { name } } } # ${'long '.repeat(300_000)}`)
  expect(errors[0].extensions.code).toBe('BODY_TOO_LARGE')

  const { port } = new URL(url)
  const second = await run(`serve --port ${port} --database untouched.sqlite`)
  expect(existsSync(path('untouched.sqlite'))).toBe(false)
  expect({ code: second.code, stdout: second.stdout }).toEqual({ code: 1, stdout: '' })
  expect(second.stderr).toMatch(new RegExp(`^accord: .*${port} is in use.*\n$`))
  first.kill('SIGTERM')
  expect(await firstOutcome).toMatchObject({
    code: 0,
    stdout: `Accord serves a dashboard at ${new URL('.', url)} and GraphQL at ${url}\n`,
  })

  const third = start('serve --port 0 --database new.sqlite')
  const thirdOutcome = outcomeOf(third)
  expect(await query(await urlOf(third), '{ datasets { nodes { name } } }')).toEqual({ data })
  third.kill('SIGINT')
  expect(await thirdOutcome).toMatchObject({ code: 0, stderr: '' })
})

it('trains no upper bounds of the bundled dataset, which is too small for them', async () => {
  const database = new BetterSqlite3(path('new.sqlite'), { readonly: true })
  const jobs = database.prepare("SELECT COUNT(*) FROM job WHERE kind = 'trainBound'").pluck().get()
  database.close()
  expect(jobs).toBe(0)
})

it('stops with status 0 on a signal while it loads the seed, and evaluates it at the next start', async () => {
  const server = start('serve --port 0 --database seeding.sqlite')
  const outcome = outcomeOf(server)
  await untilWritten(server, 'stderr', 'Loading the bundled dataset')
  server.kill('SIGTERM')
  expect(await outcome).toMatchObject({ code: 0, stdout: '' })
  const next = start('serve --port 0 --database seeding.sqlite')
  const nextOutcome = outcomeOf(next)
  const url = await urlOf(next)
  const board =
    '{ dataset(name: "scenes") { leaderboards(metrics: ["CIDEr-D"], references: 4) { rows { nodes { rank } } } } }'
  const ranks = async () => {
    const { data } = await query(url, board)
    return data.dataset.leaderboards[0].rows.nodes.map(({ rank }: { rank: number }) => rank)
  }
  await expect.poll(ranks).toEqual([1, 2, 3, 4])
  next.kill('SIGTERM')
  expect((await nextOutcome).code).toBe(0)
})

it.each(['127.0.0.2', 'localhost'])('warns of no strangers where it listens on %s alone', async (host) => {
  const server = start(`serve --port 0 --host ${host} --database new.sqlite`)
  const outcome = outcomeOf(server)
  await urlOf(server)
  server.kill('SIGTERM')
  expect(await outcome).toMatchObject({ code: 0, stderr: '' })
})

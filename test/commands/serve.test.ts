import type { ChildProcess } from 'node:child_process'
import { expect, it } from 'vitest'
import { outcomeOf, untilWritten, workbench } from './kit.js'

const { run, start } = workbench()

it('gives a new database a first data set, once; refuses a port that is taken; stops on a signal', async () => {
  const first = start('serve', { ACCORD_PORT: '0', ACCORD_BODY_LIMIT: '1kb', ACCORD_DATABASE: 'new.sqlite' })
  const firstOutcome = outcomeOf(first)
  const url = await urlOf(first)
  const { data } = await query(url, '{ datasets { name } }')
  expect(data).toEqual({ datasets: [{ name: 'scenes' }] })
  const { errors } = await query(url, `{ datasets { name } } # ${'long '.repeat(300)}`)
  expect(errors[0].extensions.code).toBe('BODY_TOO_LARGE')

  const { port } = new URL(url)
  const second = await run(`serve --port ${port} --database new.sqlite`)
  expect({ code: second.code, stdout: second.stdout }).toEqual({ code: 1, stdout: '' })
  expect(second.stderr).toMatch(new RegExp(`^accord: 127\\.0\\.0\\.1:${port}: .+ found EADDRINUSE\n$`))
  first.kill('SIGTERM')
  expect(await firstOutcome).toMatchObject({ code: 0, stdout: `Accord serves GraphQL at ${url}\n` })

  const third = start('serve --port 0 --database new.sqlite')
  const thirdOutcome = outcomeOf(third)
  expect(await query(await urlOf(third), '{ datasets { name } }')).toEqual({ data })
  third.kill('SIGINT')
  expect(await thirdOutcome).toMatchObject({ code: 0, stderr: '' })
})

async function urlOf(server: ChildProcess): Promise<string> {
  const [url] = (await untilWritten(server, 'stdout', '/graphql')).match(/http:\S+/) ?? []
  if (url === undefined) throw new Error('expected the address of the server')
  return url
}

async function query(
  url: string,
  text: string,
): Promise<{ data?: unknown; errors: { extensions: { code: string } }[] }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: text }),
  })
  return response.json() as ReturnType<typeof query>
}

import { afterAll, expect, it, vi } from 'vitest'

type Message = { readonly data?: object; readonly error?: object }

/** Sends a message of the server. */
let send: (message: Message) => void
let unsubscribed = 0

// Test files share modules: those with mocks in them are not for others.
vi.resetModules()
afterAll(() => {
  vi.doUnmock('../../web/app/client')
  vi.resetModules()
})
vi.doMock('../../web/app/client', () => ({
  client: {
    subscription: () => ({
      subscribe(receive: (message: Message) => void) {
        send = receive
        return { unsubscribe: () => unsubscribed++ }
      },
    }),
  },
  forgetAnswers() {},
}))
const { followJob } = await import(new URL('../../web/app/jobs.ts', import.meta.url).pathname)

const progress = (status: string, share: number, failure?: object): Message => ({
  data: { jobProgress: { status, progress: share, failure } },
})

it('a job is followed to its end, after which nothing looks like progress', async () => {
  const shares: number[] = []
  const followed = followJob('1', (job: { readonly progress: number }) => shares.push(job.progress))
  send({})
  send(progress('RUNNING', 0.5))
  send(progress('DONE', 1))
  send(progress('RUNNING', 0.9))
  send(progress('DONE', 1))
  await followed
  expect(shares).toEqual([0.5, 1])
  await expect.poll(() => unsubscribed).toBe(1)
})

it.each([
  [
    progress('FAILED', 0, { code: 'INVALID_SHAPE', message: 'no captions', source: 'mine.json' }),
    { message: 'no captions', code: 'INVALID_SHAPE', source: 'mine.json' },
  ],
  [progress('CANCELLED', 0), { message: 'It was cancelled.' }],
  [{ error: { graphQLErrors: [{ message: 'unknown job' }] } }, { message: 'unknown job' }],
])('the end of a job that is not done says why: %j', async (end, why) => {
  const followed = followJob('1', () => {})
  send(end)
  await expect(followed).rejects.toMatchObject(why)
})

it('a job is followed again where the server that has started anew goes on with it', async () => {
  vi.useFakeTimers()
  const shares: number[] = []
  const followed = followJob('1', (job: { readonly progress: number }) => shares.push(job.progress))
  send(progress('RUNNING', 0.25))
  const lost = send
  send({ error: { graphQLErrors: [], networkError: new Error('refused') } })
  await vi.advanceTimersByTimeAsync(2000)
  expect(send).not.toBe(lost)
  send(progress('DONE', 1))
  await followed
  expect(shares).toEqual([0.25, 1])
  vi.useRealTimers()
})

import { serverAudits } from 'graphql-http'
import { expect, it } from 'vitest'
import { initWorld } from '../kit/seed.js'

/** The audits of GraphQL over HTTP, by the package graphql-http. */

const world = await initWorld()
const api = await world.serve()

/** A page of another origin can send such GET requests without being asked: they need a header that it cannot send. */
const REFUSED_TO_PAGES = [
  'MAY accept application/x-www-form-urlencoded formatted GET requests',
  'MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting application/graphql-response+json',
  'MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting application/json',
]

const send =
  (header: Record<string, string>) =>
  (url: unknown, options: RequestInit = {}) =>
    fetch(url as string, { ...options, headers: { ...options.headers, ...header } })

it.each(serverAudits({ url: api.url, fetchFn: fetch }))('$id $name', async ({ name, fn }) => {
  const { status, ...details } = await fn()
  expect({ status, details }).toMatchObject({ status: REFUSED_TO_PAGES.includes(name) ? 'notice' : 'ok' })
})

it.each(
  serverAudits({ url: api.url, fetchFn: send({ 'apollo-require-preflight': '1' }) }).filter(({ name }) =>
    REFUSED_TO_PAGES.includes(name),
  ),
)('$id with a header that other pages cannot send', async ({ fn }) => {
  expect(await fn()).toMatchObject({ status: 'ok' })
})

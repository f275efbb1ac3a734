import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createClientNames, createLocalCheck } from '../../src/api/http/client-name.js'

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage

describe('the name of a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, undefined],
  ])('at %s is %s', (address, name) => {
    expect(createClientNames([])(request(address))).toBe(name)
  })

  it.each([
    ['nobody is trusted without the option', [], '10.0.0.1', '192.0.2.7', '10.0.0.1'],
    ['a client cannot forward itself', ['10.0.0.1'], '198.51.100.9', '192.0.2.7', '198.51.100.9'],
    ['a proxy names it', ['10.0.0.1'], '10.0.0.1', '192.0.2.7', '192.0.2.7'],
    ['what it invented is not used', ['10.0.0.1'], '10.0.0.1', '203.0.113.1, 192.0.2.7', '192.0.2.7'],
    ['several proxies', ['10.0.0.0/8'], '10.0.0.1', '192.0.2.7, 10.2.3.4,10.9.9.9', '192.0.2.7'],
    ['only proxies', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['no header', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
    ['no address', ['10.0.0.1'], '10.0.0.1', '192.0.2.7, unknown', '10.0.0.1'],
    ['a port', ['10.0.0.1'], '::ffff:10.0.0.1', '192.0.2.7:5151', '192.0.2.7'],
    ['IPv6', ['::1', 'fd00::/8'], '::1', '[2001:db8:1:2::6]:443, fd12::1', '2001:db8:1:2::/64'],
  ])('behind proxies: %s', (_what, trusted, address, forwarded, name) => {
    expect(createClientNames(trusted)(request(address, forwarded))).toBe(name)
  })
})

describe('a request from this machine', () => {
  it.each([
    ['the machine itself', [], '127.0.0.1', undefined, true],
    ['the machine itself by IPv6', [], '::1', undefined, true],
    ['the machine itself, IPv4 within IPv6', [], '::ffff:127.0.0.1', undefined, true],
    ['another machine', [], '192.0.2.7', undefined, false],
    ['a machine that says it is this one', [], '192.0.2.7', '127.0.0.1', false],
    ['a proxy on this machine that is not trusted', [], '127.0.0.1', '192.0.2.7', false],
    ['a trusted proxy', ['127.0.0.1'], '127.0.0.1', '192.0.2.7', false],
    ['no address', [], undefined, undefined, false],
  ])('%s', (_what, trusted, address, forwarded, isLocal) => {
    expect(createLocalCheck(trusted)(request(address, forwarded))).toBe(isLocal)
  })

  it.each(['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'])(
    'is not one that a proxy on this machine forwards with the header %s alone',
    (name) => {
      const headers = { [name]: '192.0.2.7' }
      const forwarded = { socket: { remoteAddress: '127.0.0.1' }, headers } as unknown as IncomingMessage
      expect(createLocalCheck([])(forwarded)).toBe(false)
    },
  )
})

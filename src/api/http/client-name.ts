import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** What a client is called: it owns jobs and uploads, and its requests are limited together. */
export type NameClient = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string | undefined

/**
 * Names clients by their IPv4 address, or by the /64 network of their IPv6 address, which belongs to one customer. Requests of
 * trusted proxies have the client that X-Forwarded-For gives: the last address that is not one of a trusted proxy. Addresses
 * before it can be invented by the client.
 *
 * @param trusted addresses and networks of proxies, such as `10.0.0.0/8`
 */
export function createClientNames(trusted: readonly string[]): NameClient {
  const addressOf = createAddresses(trusted)
  return (request) => {
    const client = addressOf(request)
    return client !== undefined && isIP(client) === 6 ? networkOf(client) : client
  }
}

/**
 * Whether a request comes from this machine itself. One that a proxy forwards does not, unless the proxy is trusted and names
 * an address of this machine.
 *
 * @param trusted addresses and networks of proxies
 */
export function createLocalCheck(
  trusted: readonly string[],
): (request: Pick<IncomingMessage, 'socket' | 'headers'>) => boolean {
  const [addressOf, isProxy] = [createAddresses(trusted), addressCheck(trusted)]
  return (request) => {
    const address = addressOf(request)
    const isForwarded = FORWARDING_HEADERS.some((name) => request.headers[name] !== undefined)
    const isExplained = !isForwarded || isProxy(request.socket.remoteAddress ?? '')
    return address !== undefined && /^(127\.|::1$)/.test(address) && isExplained
  }
}

/** Headers that proxies add. */
const FORWARDING_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip']

/** The address of a client, as described for {@link createClientNames}. */
function createAddresses(trusted: readonly string[]): NameClient {
  const isProxy = addressCheck(trusted)
  return ({ socket: { remoteAddress }, headers }) => {
    if (remoteAddress === undefined) return undefined
    let client = plain(remoteAddress)
    if (!isProxy(client)) return client
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    while (isProxy(client)) {
      const previous = plain(forwarded.pop()?.trim() ?? '')
      if (isIP(previous) === 0) break
      client = previous
    }
    return client
  }
}

/** Whether an address is one of some addresses and networks. */
export function addressCheck(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => false
  const list = new BlockList()
  for (const network of networks) {
    const [address, bits] = network.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => list.check(plain(address), familyOf(plain(address)))
}

/** An address without a port, brackets, a zone, and the prefix of IPv4 addresses within IPv6. */
function plain(text: string): string {
  const address = text.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '')
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** The /64 network of an IPv6 address. */
function networkOf(address: string): string {
  const [start, end = ''] = address.toLowerCase().split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [first, last] = [groups(start), groups(end)]
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0')
  const network = [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS } from '../execution/limits.js'
import { addressCheck, createClientNames } from './client-name.js'
import { createShare } from './share.js'

/** Time to send the request that is refused, in milliseconds. */
const REFUSAL_MS = 5_000

/**
 * Limits the connections of each client and of all. As many again are accepted for a short time, to be told that there are too
 * many; those beyond are closed when they are opened. Trusted proxies open connections for all clients.
 *
 * @returns whether a request must be refused because its connection is beyond the limits
 */
export function limitConnections(
  http: Server,
  trustedProxies: readonly string[] = [],
): (request: IncomingMessage) => boolean {
  http.maxConnections = 2 * LIMITS.connections
  const [isProxy, nameOf] = [addressCheck(trustedProxies), createClientNames([])]
  const [places, refusals] = [createShare(LIMITS.connections), createShare(LIMITS.connections)]
  const refused = new WeakSet<Socket>()
  http.on('connection', (socket) => {
    // A client that is gone already has no address.
    if (socket.remoteAddress === undefined) return socket.destroy()
    // Each request on the connection listens to it.
    socket.setMaxListeners(0)
    const client = nameOf({ socket, headers: {} })
    const [place, refusal] = [places.open(client), refusals.open(client)]
    if (isProxy(socket.remoteAddress) || place.add(1)) return socket.once('close', place.release)
    if (!refusal.add(1)) return socket.destroy()
    refused.add(socket)
    const timer = setTimeout(() => socket.destroy(), REFUSAL_MS)
    return socket.once('close', () => {
      clearTimeout(timer)
      refusal.release()
    })
  })
  return ({ socket }) => refused.has(socket)
}

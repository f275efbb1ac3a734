import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AccordError } from '../../errors.js'
import type { Identity, Sender } from '../execution/context.js'

/**
 * Who sent a request.
 *
 * @param identity its name, its user, and whether it may change data
 * @param stopping ends what the request waits for
 */
export function senderOf(
  request: IncomingMessage,
  response: ServerResponse,
  identity: Identity,
  stopping: AbortSignal,
): Sender {
  let signal: AbortSignal | undefined
  return {
    ...identity,
    isConnected: () => !request.socket.destroyed,
    get signal() {
      if (signal) return signal
      const controller = new AbortController()
      signal = controller.signal
      // All fields of the request that wait listen to it.
      setMaxListeners(0, signal)
      // AbortSignal.any keeps signals until garbage collection, which becomes slower by them.
      const stop = () => controller.abort(stopping.reason)
      if (stopping.aborted) stop()
      stopping.addEventListener('abort', stop)
      whenGone(request, response, () => {
        stopping.removeEventListener('abort', stop)
        controller.abort(new AccordError('CANCELLED', 'the client disconnected'))
      })
      return signal
    },
  }
}

/**
 * Calls `act` once: when the response is complete, or the connection is closed. A response that waits for those before it on
 * its connection is not told when that is closed.
 */
export function whenGone({ socket }: IncomingMessage, response: ServerResponse, act: () => void): void {
  if (socket.destroyed) {
    act()
    return
  }
  const end = () => {
    response.off('close', end)
    socket.off('close', end)
    act()
  }
  response.on('close', end)
  socket.on('close', end)
}

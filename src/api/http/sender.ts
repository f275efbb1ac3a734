import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AccordError } from '../../errors.js'
import { withSignal } from '../schema/create-context.js'
import type { Identity, Sender } from '../shared/context.js'

/** Who sent a request. @param identity by its headers @param stopping ends what the request waits for */
export function senderOf(
  { socket }: IncomingMessage,
  whenGone: WhenGone,
  { owner, viewer, account, mayChange, isReadOnly }: Identity,
  stopping: AbortSignal,
): Sender {
  let signal: AbortSignal | undefined
  const isConnected = () => !socket.destroyed
  return withSignal({ owner, viewer, account, mayChange, isReadOnly, isConnected }, () => {
    signal ??= endOf(whenGone, stopping)
    return signal
  })
}

function endOf(whenGone: WhenGone, stopping: AbortSignal): AbortSignal {
  const controller = new AbortController()
  // All fields of the request that wait listen to it.
  setMaxListeners(0, controller.signal)
  // AbortSignal.any keeps signals until garbage collection, which becomes slower by them.
  const stop = () => controller.abort(stopping.reason)
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop)
  whenGone(() => {
    stopping.removeEventListener('abort', stop)
    controller.abort(new AccordError('CANCELLED', 'the client disconnected'))
  })
  return controller.signal
}

/** Calls a function once, when nobody waits for the response any more; at once if that is so. */
export type WhenGone = (act: () => void) => void

/**
 * Waits for the end of a request: the response is complete, or the connection is closed. A response that waits for those before
 * it on its connection is not told when that is closed.
 */
export function watchRequest({ socket }: IncomingMessage, response: ServerResponse): WhenGone {
  const acts: (() => void)[] = []
  let isGone = socket.destroyed
  const end = () => {
    isGone = true
    response.off('close', end)
    socket.off('close', end)
    for (const act of acts) act()
  }
  if (!isGone) {
    response.on('close', end)
    socket.on('close', end)
  }
  return (act) => {
    if (isGone) act()
    else acts.push(act)
  }
}

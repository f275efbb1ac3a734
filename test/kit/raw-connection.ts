import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A connection without a client library. What the server sends is collected. */
export async function openConnection(url: string): Promise<{ socket: Socket; received: () => string }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return { socket, received: () => text }
}

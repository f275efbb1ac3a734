import { once } from 'node:events'

/** Writes parts to stdout as fast as they are read, until its reader closes it. */
export async function writeParts(parts: AsyncIterable<string> | Iterable<Buffer>): Promise<void> {
  try {
    for await (const part of parts) {
      if (!process.stdout.write(part)) await once(process.stdout, 'drain')
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { AccordError } from '../errors.js'

/** A password: typed without being shown, or the first line of the standard input. @throws AccordError INVALID_VALUE for none */
export async function readPassword(question: string): Promise<string> {
  const { stdin, stderr } = process
  const isTyped = stdin.isTTY === true
  if (isTyped) stderr.write(question)
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: hidden, terminal: isTyped })
  try {
    for await (const line of lines) if (line !== '') return line
  } finally {
    lines.close()
    if (isTyped) stderr.write('\n')
  }
  throw new AccordError('INVALID_VALUE', 'no password', {
    source: 'standard input',
    expected: 'a password in its first line',
  })
}

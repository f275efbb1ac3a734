import type { Command } from 'commander'
import { example } from '../options.js'
import { writeParts } from '../output/output-file.js'

/** Characters that are written at once. */
const BLOCK_LENGTH = 1 << 16

/** `accord parse` */
export function register(program: Command): void {
  program
    .command('parse')
    .summary('print the scene graphs of captions')
    .description(
      'Print the scene graph of each line as JSON, one per line: the objects of the caption, their attributes, and the' +
        ' relations between them. SPICE compares these graphs.',
    )
    .argument('[file]', 'captions, one per line; - for standard input', '-')
    .addHelpText('after', example('echo "a brown dog runs on the beach" | accord parse'))
    .action(async (file: string) => {
      const { parseCaptions } = await import('../../services/images/scene-graphs.js')
      await writeParts(blocksOf(parseCaptions(file)))
    })
}

async function* blocksOf(graphs: AsyncIterable<object>): AsyncGenerator<string> {
  let block = ''
  for await (const graph of graphs) {
    block += `${JSON.stringify(graph)}\n`
    if (block.length >= BLOCK_LENGTH) {
      yield block
      block = ''
    }
  }
  yield block
}

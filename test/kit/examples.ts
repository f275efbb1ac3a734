import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFile } from '../../src/project.js'

const FOLDER = projectFile('explorer/examples')

/** The documents of the explorer's tabs. */
export const EXAMPLES = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'))

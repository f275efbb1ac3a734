import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { isSlow } from './slow.js'

/**
 * In `npm test` the machine has one core: commands and workers start no threads to compute with, each of which would load the
 * metrics. Tests of threads say how many they take. Imported by a setup file, before what starts threads takes the function.
 */
if (!isSlow) {
  Object.assign(os, { availableParallelism: () => 1 })
  syncBuiltinESMExports()
}

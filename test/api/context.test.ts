import { expect, it } from 'vitest'
import { createContext } from '../../src/api/schema/create-context.js'
import { OPEN_VIEWER } from '../../src/services/accounts/viewer.js'
import type { Accord } from '../../src/services/shared/accord.js'

it('other work has its turn after each 100 objects of a response', () => {
  const sender = {
    owner: undefined,
    viewer: OPEN_VIEWER,
    account: null,
    mayChange: true,
    isReadOnly: false,
    signal: new AbortController().signal,
    isConnected: () => true,
  }
  const { countObjects } = createContext({} as Accord, sender, { maximumBytes: 1e9, timeoutSeconds: 3600 })
  const turns = Array.from({ length: 303 }, () => countObjects(1))
  expect(turns.flatMap((isDue, index) => (isDue ? [index + 1] : []))).toEqual([101, 202, 303])
  expect(countObjects(1000)).toBe(true)
  expect(countObjects(100)).toBe(false)
})

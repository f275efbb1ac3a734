import { describe, expect, it } from 'vitest'
import {
  ANONYMOUS,
  OPEN_VIEWER,
  requireAdministrator,
  requireScope,
  requireTeam,
  requireUser,
  type Viewer,
} from '../../../src/services/accounts/viewer.js'

const MEMBER: Viewer = {
  user: { id: 'u1', name: 'ann' },
  isAdministrator: false,
  scopes: new Set(['read', 'submit']),
  teams: [{ id: 't1', name: 'owls' }],
}
const [unauthenticated, forbidden] = ['UNAUTHENTICATED', 'FORBIDDEN'].map((code) =>
  expect.objectContaining({ code }),
)

describe('what a viewer may do', () => {
  it('is everything on an open server', () => {
    expect(requireUser(OPEN_VIEWER)).toEqual({ id: 'local', name: 'local' })
    expect(requireTeam(OPEN_VIEWER, 'local').name).toBe('local')
    for (const scope of ['read', 'submit', 'host'] as const) requireScope(OPEN_VIEWER, scope)
    requireAdministrator(OPEN_VIEWER)
  })

  it('is to read for those who have not signed in', () => {
    requireScope(ANONYMOUS, 'read')
    expect(() => requireScope(ANONYMOUS, 'submit')).toThrow(unauthenticated)
    expect(() => requireUser(ANONYMOUS)).toThrow(unauthenticated)
    expect(() => requireTeam(ANONYMOUS, 't1')).toThrow(unauthenticated)
    expect(() => requireAdministrator(ANONYMOUS)).toThrow(unauthenticated)
  })

  it('is what the scopes and teams of a user allow', () => {
    expect(requireTeam(MEMBER, 't1').name).toBe('owls')
    requireScope(MEMBER, 'submit')
    expect(() => requireScope(MEMBER, 'host')).toThrow(forbidden)
    expect(() => requireTeam(MEMBER, 't2')).toThrow(forbidden)
    expect(() => requireAdministrator(MEMBER)).toThrow(forbidden)
  })
})

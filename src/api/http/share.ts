/** Something limited that clients use: connections, streams, bytes of bodies. */
export interface Share {
  /** What one use of a client holds; nothing at first. @param owner name of the client */
  open(owner: string | undefined): Holding
}

/** What one use of a client holds. */
export interface Holding {
  /** Holds more. @returns whether there is enough left and nothing was released yet; if not, nothing changes */
  add(amount: number): boolean
  /** Gives everything back. */
  release(): void
}

/**
 * Shares `total` among clients. A client holds at most a ninth of what is left to others: one client gets a tenth, and ten
 * that take all they can get leave a third.
 */
export function createShare(total: number): Share {
  const held = new Map<string, number>()
  let sum = 0
  return {
    open(owner = '') {
      let own = 0
      let isReleased = false
      return {
        add(amount) {
          const ofOwner = (held.get(owner) ?? 0) + amount
          if (isReleased || 9 * ofOwner > total - sum - amount) return false
          held.set(owner, ofOwner)
          sum += amount
          own += amount
          return true
        },
        release() {
          const rest = (held.get(owner) ?? 0) - own
          if (rest > 0) held.set(owner, rest)
          else held.delete(owner)
          sum -= own
          own = 0
          isReleased = true
        },
      }
    },
  }
}

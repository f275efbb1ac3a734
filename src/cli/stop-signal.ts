/** Resolves at the first SIGINT (Ctrl-C) or SIGTERM. A second one ends the process immediately. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

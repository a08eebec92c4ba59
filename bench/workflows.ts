/** A workflow that does nothing, so that only the scheduling is measured. */
export async function noop(): Promise<void> {}

/** Everything is looked at again after this long, whatever was written below the floor meanwhile. */
const FULL_LOOK_MILLISECONDS = 30_000;
/** A check becomes visible this long after the instant it was written for, or is found by the next full look. */
const LATE_CHECK_MILLISECONDS = 5_000;

/**
 * From when on overdue checks are worth looking at, while some namespaces are away. Theirs stay as they are, and may be
 * hundreds of thousands by the end of a weekend: each look would read past them all.
 */
export class AwayFloor {
  #away = '';
  #lookedAt: number | undefined;
  #fullLookAt = Number.NEGATIVE_INFINITY;

  /** @returns nothing where all are to be looked at */
  from(away: readonly string[], now: number): Date | undefined {
    if (this.#lookedAt === undefined || namesOf(away) !== this.#away) return undefined;
    if (now - this.#fullLookAt >= FULL_LOOK_MILLISECONDS) return undefined;
    return new Date(this.#lookedAt - LATE_CHECK_MILLISECONDS);
  }

  /** @param isAll whether the look took all that it saw */
  looked(away: readonly string[], now: number, { from, isAll }: { from: Date | undefined; isAll: boolean }): void {
    this.#away = namesOf(away);
    this.#lookedAt = isAll && away.length > 0 ? now : undefined;
    if (!from) this.#fullLookAt = now;
  }
}

function namesOf(namespaces: readonly string[]): string {
  return JSON.stringify([...namespaces].sort());
}

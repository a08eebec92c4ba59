/** Another number of schedules matches by now than was counted. Nothing was changed. */
export class OtherTotalError extends Error {
  override readonly name = 'OtherTotalError';
  constructor(
    /** What was counted before. */
    readonly expectedTotal: number,
    /** How many match by now. */
    readonly total: number,
  ) {
    super(`${total} schedules match by now, and not ${expectedTotal}: run it dry again, and look`);
  }
}

/** No change of many schedules has this ID. */
export class OperationNotFoundError extends Error {
  override readonly name = 'OperationNotFoundError';
  constructor(
    /** The ID that was given. */
    readonly operationId: string,
  ) {
    super(`operation '${operationId}' was not found; list those that are there`);
  }
}

/** A change of many schedules that cannot be taken back, or not now. */
export class CannotUndoError extends Error {
  override readonly name = 'CannotUndoError';
  constructor(
    /** The operation that was to be taken back. */
    readonly operationId: string,
    why: string,
  ) {
    super(`operation '${operationId}' cannot be undone: ${why}`);
  }
}

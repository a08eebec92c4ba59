/** The number of matching schedules is not the number that was expected. Nothing was changed. */
export class OtherTotalError extends Error {
  override readonly name = 'OtherTotalError';
  constructor(
    /** The number that the caller expected. */
    readonly expectedTotal: number,
    /** How many schedules matched at the time of the call. */
    readonly total: number,
  ) {
    super(`${total} schedules match now, not ${expectedTotal}: do another dry run first`);
  }
}

/** No bulk change has this ID. */
export class OperationNotFoundError extends Error {
  override readonly name = 'OperationNotFoundError';
  constructor(
    /** The ID that was given. */
    readonly operationId: string,
  ) {
    super(`operation '${operationId}' was not found; list the existing ones`);
  }
}

/** This bulk change cannot be undone, or not while it is running. */
export class CannotUndoError extends Error {
  override readonly name = 'CannotUndoError';
  constructor(
    /** ID of the operation that was to be undone. */
    readonly operationId: string,
    why: string,
  ) {
    super(`operation '${operationId}' cannot be undone: ${why}`);
  }
}

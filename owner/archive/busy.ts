/** Another run is in the way: one run at a time archives or restores months, and none during a purge. */
export class ArchiveBusyError extends Error {
  override readonly name = 'ArchiveBusyError';
  /** @param doing what the other run may be doing, such as `archiving or restoring` */
  constructor(doing: string) {
    super(`another run is ${doing} this ledger; try again when it has ended`);
  }
}

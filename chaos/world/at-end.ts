/** Registers a clean-up step for the end of a test or of a run. */
export type AtEnd = (undo: () => Promise<void>) => void;

/** Takes what is to be undone when whoever started it is done: the end of a test or of a run. */
export type AtEnd = (undo: () => Promise<void>) => void;

/**
 * The name of the patch with which a workflow's history records that it may park failed steps. The name never changes,
 * so that older histories replay.
 */
export const PARK_PATCH = 'escapement-park';
/** The patch that records that a parked workflow, when it is asked, writes letters that the ledger has lost. */
export const BURY_AGAIN_PATCH = 'escapement-park-again';
/** The patch that records that a check of a letter ends when its step stops waiting. */
export const BURY_AGAIN_ENDS_PATCH = 'escapement-park-again-ends';
/**
 * The patch that records that a decision was kept or carried out although it arrived before the run saw its step fail.
 */
export const EARLY_DECISION_PATCH = 'escapement-park-early';

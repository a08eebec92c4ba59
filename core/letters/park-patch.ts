/**
 * The patch under which a workflow parks a failed step. The name never changes, so that older histories replay. The
 * patch has its own file: a bundle that contains this file was built with the interceptor.
 */
export const PARK_PATCH = 'escapement-park';
/** The patch under which a parked workflow checks, when asked, that its letters exist. */
export const BURY_AGAIN_PATCH = 'escapement-park-again';
/** The patch under which a question about a letter ends together with its step. */
export const BURY_AGAIN_ENDS_PATCH = 'escapement-park-again-ends';

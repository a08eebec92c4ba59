/**
 * The patch under which a workflow parks a failed step. It never changes, so that older histories replay. It has its
 * own file: a bundle that contains this file was built with the interceptor.
 */
export const PARK_PATCH = 'escapement-park';
/** The patch under which a parked workflow checks, when asked, that its letters exist. */
export const BURY_AGAIN_PATCH = 'escapement-park-again';
/** The patch under which what it was asked for ends with the step that it was about. */
export const BURY_AGAIN_ENDS_PATCH = 'escapement-park-again-ends';

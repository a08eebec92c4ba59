/**
 * The patch under which a workflow parks a failed step; one for good, so that older histories replay. In a file of its own: a
 * bundle that has it was built with the interceptor, whatever else of Escapement its workflows import.
 */
export const PARK_PATCH = 'escapement-park';
/** The patch under which a parked workflow makes sure of its letters when it is asked. */
export const BURY_AGAIN_PATCH = 'escapement-park-again';

import { DefaultFailureConverter } from '@temporalio/common';

/** Puts the message and the stack of a failure into a payload, which the codec then encrypts. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });

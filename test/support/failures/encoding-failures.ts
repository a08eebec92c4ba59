import { DefaultFailureConverter } from '@temporalio/common';

/** What a failure says is a payload, which the codec then encrypts. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });

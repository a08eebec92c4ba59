/**
 * The trigger, which starts what is due.
 *
 * @packageDocumentation
 */

export type { AlertResult } from '../alerts/open-and-resolve';
export type { SendResult } from '../alerts/send';
export type { AlertOptions, AlertWebhook } from '../alerts/webhooks';
export type { NamespaceOptions } from '../temporal/routes';
export type { ClaimResult } from './claim/claim';
export type { VerifyResult } from './claim/verify';
export type { DispatchResult } from './dispatch/dispatch';
export type { TriggerHealth, TriggerState } from './health';
export { pinoLogger } from './logging';
export type { InterruptResult } from './observe/interrupt';
export type { ObserveResult } from './observe/observe';
export type { ResetResult } from './observe/reset';
export type { TriggerOptions } from './options';
export type { TriggerPasses } from './passes';
export type { ReconcileResult } from './recover/reconcile';
export type { RedriveResult } from './redrive/redrive';
export { Trigger } from './trigger';

export type { ClaimResult } from './claim';
export type { Clock } from './clock';
export type { TriggerLimits } from './context';
export { pinoLogger } from './logging';
export type { ObserveResult } from './observe';
export type { ReconcileResult } from './reconcile';
export type { StartResult } from './start';
export { Trigger, type TriggerOptions, type TriggerState } from './trigger';

/**
 * For workflow code: the firing that started this workflow.
 *
 * @packageDocumentation
 */

export { PARK_SIGNAL, PARKED_QUERY, type ParkDecision, type ParkedStep } from '../core/letters/park';
export { type CurrentFiring, currentFiring, type EndedFiring, type PreviousFiring } from './current-firing';

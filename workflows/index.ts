export { PARK_SIGNAL, PARKED_QUERY, type ParkDecision, type ParkedStep } from '../core/park';
export { type CurrentFiring, currentFiring } from './current-firing';

export { type CurrentFiring, currentFiring } from './current-firing';

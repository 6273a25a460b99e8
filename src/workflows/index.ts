export { invocation } from './invocation';

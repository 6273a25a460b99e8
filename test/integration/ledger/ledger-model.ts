/** The ledger as a few plain numbers: what the tests of properties believe, and Postgres must agree with. */
interface UserAccounts {
  wallet: number;
  escrow: number;
  payable: number;
}

interface CallState {
  buyer: number;
  developer: number;
  held: number;
  state: 'open' | 'captured' | 'voided' | 'disputed';
  gross: number;
  clawedBack: boolean;
}

const FEE = 100_000;

export class LedgerModel {
  readonly users: UserAccounts[];
  readonly service = { cash: 0, fees: 0, platform: 0 };
  private readonly calls = new Map<number, CallState>();
  private readonly registered = new Set<number>();

  constructor(users: number) {
    this.users = Array.from({ length: users }, () => ({ wallet: 0, escrow: 0, payable: 0 }));
  }

  private user(index: number): UserAccounts {
    const user = this.users[index];
    if (!user) throw new Error(`no user ${index}`);
    return user;
  }

  topUp(user: number, units: number): string {
    this.user(user).wallet += units;
    this.service.cash -= units;
    return 'credited';
  }

  /** A payment that is settled. One that is not gives its credits back at once. */
  payByX402(user: number, units: number): string {
    this.topUp(user, units);
    return 'settled';
  }

  sendBack(user: number, units: number, fails: boolean): string {
    if (this.user(user).wallet < units) return 'insufficient';
    if (fails) return 'returned';
    this.topUp(user, -units);
    return 'sent';
  }

  hold(call: number, buyer: number, developer: number, units: number): string {
    const earlier = this.calls.get(call);
    if (earlier) return earlier.state === 'open' ? 'already_open' : 'already_resolved';
    if (this.user(buyer).wallet < units) return 'insufficient';
    this.user(buyer).wallet -= units;
    this.user(buyer).escrow += units;
    this.calls.set(call, { buyer, developer, held: units, state: 'open', gross: 0, clawedBack: false });
    return 'held';
  }

  capture(call: number, gross: number): string {
    const hold = this.calls.get(call);
    if (!hold) return 'no_hold';
    if (hold.state !== 'open') return `already_${hold.state}`;
    hold.state = 'captured';
    hold.gross = gross;
    this.user(hold.buyer).escrow -= hold.held;
    this.user(hold.buyer).wallet += hold.held - gross;
    this.user(hold.developer).payable += (gross / 100) * 97;
    this.service.fees += (gross / 100) * 3;
    return 'captured';
  }

  voidHold(call: number, disputed: boolean): string {
    const hold = this.calls.get(call);
    if (!hold) return 'no_hold';
    if (hold.state !== 'open') return `already_${hold.state}`;
    hold.state = disputed ? 'disputed' : 'voided';
    this.user(hold.buyer).escrow -= hold.held;
    this.user(hold.buyer).wallet += hold.held;
    return hold.state;
  }

  /** Without payouts a developer's payable always covers what their own lots earned. `part`: units, not all of it. */
  clawback(call: number, part?: number): string {
    const hold = this.calls.get(call);
    if (!hold) return 'no_hold';
    if (hold.state !== 'captured') return 'not_captured';
    if (hold.gross === 0) return 'nothing_charged';
    if (hold.clawedBack) return 'already_clawed_back';
    hold.clawedBack = true;
    const undone = Math.min(part ?? hold.gross, hold.gross);
    // Of the two shares, the larger remainder is rounded up; the fee is 3 % of a part, so it is the lower one at a
    // half.
    const fee = Math.ceil((undone * 3) / 100 - 0.5);
    this.user(hold.developer).payable -= undone - fee;
    this.service.fees -= fee;
    this.user(hold.buyer).wallet += undone;
    return undone < hold.gross ? 'returned_in_part' : 'clawed_back';
  }

  payFee(user: number, isDeveloper: boolean): string {
    if (!isDeveloper) return 'not_a_developer';
    if (this.registered.has(user)) return 'already_paid';
    if (this.user(user).wallet < FEE) return 'insufficient';
    this.registered.add(user);
    this.user(user).wallet -= FEE;
    this.service.platform += FEE;
    return 'paid';
  }
}

// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// A contract wallet that wants its payee's gas. It takes every signature, and burns what it gets when its time has come.
contract HostileWallet {
    enum Temper {
        Burning, // for whoever asks
        Origin, // when a transaction asks that somebody has truly sent
        Price, // when gas has a price
        Sender, // when somebody else than nobody asks
        Switched, // once its owner has said so
        Hungry, // never, but it takes no signature for little gas
        Picky, // never, but it takes no signature when the contract at the address `burn` asks
        Fickle, // never, but it takes no signature once its owner has said so
        Greedy // once its owner has said so, and then it takes the signature
    }

    Temper public immutable temper;
    uint256 public immutable burn;
    bool public switched;

    constructor(Temper temper_, uint256 burn_) {
        temper = temper_;
        burn = burn_;
    }

    function turn() external {
        switched = true;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (temper == Temper.Hungry) return gasleft() > 1_000_000 ? this.isValidSignature.selector : bytes4(0xffffffff);
        if (temper == Temper.Picky) return msg.sender == address(uint160(burn)) ? bytes4(0xffffffff) : this.isValidSignature.selector;
        if (temper == Temper.Fickle) return switched ? bytes4(0xffffffff) : this.isValidSignature.selector;
        if (isDue()) {
            uint256 start = gasleft();
            while (start - gasleft() < burn) {}
            if (temper != Temper.Burning && temper != Temper.Greedy) return 0xffffffff;
        }
        return this.isValidSignature.selector;
    }

    function isDue() private view returns (bool) {
        if (temper == Temper.Origin) return tx.origin != address(0);
        if (temper == Temper.Price) return tx.gasprice != 0;
        if (temper == Temper.Sender) return msg.sender != address(0);
        return temper == Temper.Burning || switched;
    }
}
